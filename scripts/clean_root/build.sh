#!/bin/bash
# What scripts/test_packages.sh does in the root that builds: /root/in has the release's tarball and its files with debian/. The packages, the
# source package and lintian's report go to /root/out. The argument is the version. Last line: N passed, N failed, N skipped.
# SPDX-License-Identifier: BSD-3-Clause
set -u
version=$1
# shellcheck source=/dev/null
. /root/check.sh
export DEBIAN_FRONTEND=noninteractive CCACHE_SLOPPINESS=pch_defines,time_macros
# Debug symbols are of no use here, and take long.
DEB_BUILD_OPTIONS="noautodbgsym parallel=$(nproc)"
export DEB_BUILD_OPTIONS DEB_CFLAGS_STRIP=-g DEB_CXXFLAGS_STRIP=-g DEB_FFLAGS_STRIP=-g DEB_FCFLAGS_STRIP=-g
cd "/root/in/halocline-$version" || exit 2

installs_what_it_needs() {
  local cache=
  [ ! -d /ccache ] || cache=ccache
  apt-get update && apt-get install -y --no-install-recommends dpkg-dev fakeroot $cache && apt-get build-dep -y --no-install-recommends "$PWD"
}

builds() {
  [ ! -d /ccache ] || export CCACHE_DIR=/ccache PATH=/usr/lib/ccache:$PATH
  dpkg-buildpackage -us -uc && cp ../*.deb ../*.dsc ../*.tar.* ../*.changes /root/out
}

# Errors fail, all else is shown: nobody has filed a wish to package it, and so on.
satisfies_lintian() {
  apt-get install -y --no-install-recommends lintian && lintian --allow-root --fail-on error ../*.changes | tee /root/out/lintian.txt
  return "${PIPESTATUS[0]}"
}

check 'what debian/control names can be installed' installs_what_it_needs
check 'there is no git' test ! -e /usr/bin/git
check 'dpkg-buildpackage builds source and packages from the tarball' builds
check 'lintian finds no error' satisfies_lintian
cat /root/out/lintian.txt
echo "${passed:?} passed, ${failed:?} failed, 0 skipped"
[ "${failed:?}" -eq 0 ]
