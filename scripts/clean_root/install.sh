#!/bin/bash
# What scripts/test_packages.sh does in the root that uses the packages in /root/in: installs them, runs debian/tests/packages, removes them.
# Last line: N passed, N failed, N skipped. SPDX-License-Identifier: BSD-3-Clause
set -u
export DEBIAN_FRONTEND=noninteractive
cd /root/in || exit 2

fails() {
  tail -n 60 /root/log | sed 's/^/    /'
  echo "FAILED  $1"
  echo '0 passed, 1 failed, 0 skipped'
  exit 1
}

leaves_nothing() {
  apt-get purge -y halocline-tools libhalocline-dev libhalocline1 halocline-doc && ! find /usr -name '*halocline*' | grep .
}

{ apt-get update && apt-get install -y --no-install-recommends ./*.deb cmake g++ gfortran ninja-build pkg-config; } >/root/log 2>&1 || fails 'installs'
debian/tests/packages | tee /root/counts
leaves_nothing >/root/log 2>&1 || fails 'is removed without a trace'
tail -n 1 /root/counts | grep -q ' 0 failed'
