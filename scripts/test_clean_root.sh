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

cannot() {
  echo "skipped: $1"
  exit 77
}

case $suite in
bookworm) mirror=http://deb.debian.org/debian like=bookworm components=main ;;
noble) mirror=http://archive.ubuntu.com/ubuntu like=jammy components=main,universe ;;
*) cannot "there is no mirror known for '$suite'" ;;
esac

need_means() {
  [ "$(id -u)" -eq 0 ] || cannot 'a clean root can only be made by root'
  for tool in debootstrap unshare git tar; do
    command -v $tool >/dev/null || cannot "there is no $tool"
  done
  unshare --mount --pid --ipc --fork true 2>/dev/null || cannot 'namespaces are not allowed here'
  [ -e "$archive" ] || python3 -c "import urllib.request as u; u.urlopen('$mirror/dists/$suite/InRelease', timeout=20)" 2>/dev/null \
    || cannot "no way to $mirror"
}

# A debootstrap that does not know a suite yet makes it as its predecessor; where the keys are not at hand either, signatures go unchecked.
need_archive() {
  [ ! -e "$archive" ] || return 0
  local script=/usr/share/debootstrap/scripts/$suite check=
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/$like
  [ "$suite" = bookworm ] || [ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || check=--no-check-gpg
  rm -rf "$root" && mkdir -p "$root" || return 1
  debootstrap --variant=minbase --components="$components" $check "$suite" "$root" "$mirror" "$script" >"$store/$suite.log" 2>&1 \
    || { tail -n 20 "$store/$suite.log" && return 1; }
  tar -C "$root" -cf "$archive.part" . && mv "$archive.part" "$archive"
}

# The clone, and what any machine needs to reach the network from where this one stands.
fill_root() {
  rm -rf "$root" && mkdir -p "$root" && tar -C "$root" -xf "$archive" || return 1
  git clone --quiet --no-hardlinks "$tree" "$root/root/halocline" || return 1
  cp "$tree/scripts/clean_root/inside.sh" "$root/root/inside.sh"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  [ ! -e /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$root/root/certificates.crt"
}

# Runs in namespaces of its own, so that no mount and no process outlives it.
enter() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PIP_CERT=/root/certificates.crt http_proxy="${http_proxy:-}" \
    https_proxy="${https_proxy:-}" unshare --mount --pid --ipc --fork --kill-child bash -c '
    root=$1 && shift
    mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev" && mount -t tmpfs -o size=80% shm "$root/dev/shm" \
      && exec chroot "$root" bash /root/inside.sh "$@"' enter "$root" "$@"
}

# One function, so that the script is read as a whole before it starts: it runs for long.
main() {
  need_means
  mkdir -p "$store" && need_archive && fill_root || exit 1
  enter "$@"
  local status=$?
  [ -n "$keep" ] || rm -rf "$root"
  exit $status
}

main "$@"
