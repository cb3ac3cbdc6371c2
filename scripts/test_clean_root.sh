#!/bin/bash
# Runs what the README says in a clean root: a minimal Debian or Ubuntu, made by debootstrap, with a fresh clone of HEAD and nothing else.
#   scripts/test_clean_root.sh [--keep] [SUITE [CTEST_OPTION...]]     SUITE is bookworm (Debian 12) or noble (Ubuntu 24.04)
# The options choose the tests that ./go test runs there; without any it is a few of each MPI. The bare root is kept in build/clean_root as
# an archive; --keep leaves the used one there too. Last line: N passed, N failed, N skipped; status 77 if it cannot run here.
# SPDX-License-Identifier: BSD-3-Clause
set -u
tree=$(cd "$(dirname "$0")/.." && pwd)
keep=
[ "${1:-}" != --keep ] || { keep=yes && shift; }
suite=${1:-bookworm}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- -R '^(install\.tree|go\.script|conformance\.n2|errors\.n2|fortran_use_mpi\.n2)$'
store=$tree/build/clean_root
archive=$store/$suite.tar
root=$store/$suite.root
. "$tree/scripts/clean_root/root.sh"

fill_root() {
  unpack_root && git clone --quiet --no-hardlinks "$tree" "$root/root/halocline" && cp "$tree/scripts/clean_root/inside.sh" "$root/root/inside.sh"
}

# One function, so that the script is read as a whole before it starts: it runs for long.
main() {
  need_means
  need_archive && fill_root || exit 1
  enter "$@"
  local status=$?
  [ -n "$keep" ] || rm -rf "$root"
  exit $status
}

main "$@"
