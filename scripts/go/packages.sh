# Finds out which compilers, headers and tools are missing, and installs them with apt or says how. Sourced by ./go.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
CXX=${CXX:-g++}
FC=${FC:-gfortran}

# One row per need: how to look for it, what to look for, the Debian and Ubuntu package that brings it.
needs="command $CXX g++
command $FC gfortran
command pkg-config pkg-config
python venv,ensurepip python3-venv
header gtest/gtest.h libgtest-dev
header CLI/CLI.hpp libcli11-dev
header nlohmann/json.hpp nlohmann-json3-dev
header rdma/fabric.h libfabric-dev
module netcdf-fortran libnetcdff-dev"

is_there() {
  case $1 in
  command) command -v "$2" ;;
  python) python3 -c "import $2" ;;
  header) printf '#include <%s>\n' "$2" | "$CXX" -std=c++20 -E -x c++ - ;;
  module) pkg-config --exists "$2" ;;
  esac >/dev/null 2>&1
}

missing_packages() {
  printf '%s\n' "$needs" | while read -r how what package; do
    is_there "$how" "$what" || printf '%s ' "$package"
  done
}

need_packages() {
  packages=$(missing_packages)
  packages=${packages% }
  if [ -n "$packages" ]; then
    install_packages
    packages=$(missing_packages)
    [ -z "$packages" ] || fail "Still missing after the installation: $packages"
  fi
  need_new_compiler
}

apt_install() {
  apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" -o DPkg::Lock::Timeout=300
}

install_packages() {
  install_line="apt-get install -y --no-install-recommends $packages"
  if ! command -v apt-get >/dev/null; then
    fail "Missing, by the names of their Debian packages: $packages
There is no apt-get here: install them your system's way and run ./go again."
  elif [ "$(id -u)" -ne 0 ]; then
    fail "Missing: $packages
Run this line, then ./go again:

  sudo apt-get update && sudo $install_line"
  fi
  say "Installing with apt, as root: $packages"
  # shellcheck disable=SC2086  # a list of names
  step 'apt-get install' apt_install $packages
}

# want_tools TOOL=PACKAGE...: installs what only some tests need, where that can be done without asking; they are skipped without it.
want_tools() {
  packages=
  for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null || packages="$packages ${pair#*=}"
  done
  # shellcheck disable=SC2086  # a list of names
  want_packages $packages
}

# want_packages [PACKAGE...]: the same for what is no command.
want_packages() {
  [ $# -gt 0 ] && command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ] || return 0
  try_step "Debian packages $*" apt_install "$@"
}

# C++20 as this library uses it came with g++ 12; other compilers are left to CMake.
need_new_compiler() {
  case $("$CXX" --version) in
  *clang*) return 0 ;;
  esac
  version=$("$CXX" -dumpversion)
  [ "${version%%.*}" -ge 12 ] || fail "$CXX is version $version, but 12 or newer is needed. With newer compilers beside it:

  CC=gcc-12 CXX=g++-12 FC=gfortran-12 ./go"
}
