# Checks that are counted, for the scripts that run inside a clean root: unpack_root (root.sh) puts it there as /root/check.sh.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
passed=0 failed=0

check() {
  local name=$1 began=$SECONDS
  shift
  if "$@" >/root/log 2>&1; then
    echo "passed  $name ($((SECONDS - began)) s)"
    passed=$((passed + 1))
  else
    echo "FAILED  $name"
    tail -n 60 /root/log | sed 's/^/    /'
    failed=$((failed + 1))
  fi
}
