#!/bin/bash
# What scripts/test_clean_root.sh does inside the clean root: the commands of the README, one check each. The arguments are ctest's options.
# Last line: N passed, N failed, N skipped. SPDX-License-Identifier: BSD-3-Clause
set -u
cd /root/halocline || exit 2
# shellcheck source=/dev/null
. /root/check.sh
[ -e "$PIP_CERT" ] || unset PIP_CERT

says() { grep -qE -- "$1" /root/log; }

has_nothing_yet() { ! command -v g++ && ! command -v python3 && ! command -v mpicxx && ! command -v cmake; }

gives_its_verdict() {
  ./go && says 'all [0-9,]+ cells verified' && says 'bitwise equal in all [0-9]+ modes' && [ -s results/halo.png ] && [ -s results/cloud.png ] \
    && [ -s results/report.html ]
}

# The totals of this run count the tests left out, too; at least one must have passed, and none failed.
passes_its_tests() { ./go test -- "$@" && says '^[1-9][0-9]* passed, 0 failed, [0-9]+ skipped$'; }

builds_and_installs_by_hand() {
  PATH=$PWD/.venv/bin:$PATH
  rm -rf build/release
  cmake --preset release && cmake --build --preset release && cmake --install build/release --prefix /root/installed \
    && export PKG_CONFIG_PATH=/root/installed/lib/pkgconfig LD_LIBRARY_PATH=/root/installed/lib CMAKE_PREFIX_PATH=/root/installed \
    && [ -e /root/installed/include/halocline/halocline.h ] && /root/installed/bin/halocline-bench --version
}

uninstalls() {
  PATH=$PWD/.venv/bin:$PATH
  cmake --build build/release --target uninstall && [ -z "$(ls -A /root/installed)" ]
}

leaves_nothing_behind() {
  ls -A /dev/shm
  [ -z "$(ls -A /dev/shm)" ] && [ -z "$(git_status)" ]
}

# The tree's own record says what ./go may leave: only what git ignores. Git comes last, to be no help to ./go.
git_status() {
  apt-get install -y --no-install-recommends git >/dev/null 2>&1 || echo 'no git'
  git status --porcelain
}

check 'starts from nothing: no compiler, no Python, no MPI, no CMake' has_nothing_yet
check './go sets up, builds, measures and gives its verdict' gives_its_verdict
check "./go test passes (ctest options: $*)" passes_its_tests "$@"
check 'builds and installs by the lines of the README' builds_and_installs_by_hand
check 'uninstalls, and the prefix is empty' uninstalls
check 'leaves nothing in /dev/shm, and the tree as it was' leaves_nothing_behind
echo "${passed:?} passed, ${failed:?} failed, 0 skipped"
[ "${failed:?}" -eq 0 ]
