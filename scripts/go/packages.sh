# Finds out which compilers, headers and tools are missing, and installs them with apt or says how. Sourced by ./go.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
named_cxx=${CXX:-} named_fc=${FC:-} named_cc=${CC:-}
CXX=${CXX:-g++}
FC=${FC:-gfortran}

# One row per need: how to look for it, what to look for, the Debian and Ubuntu package that brings it.
needs="command ${CXX%% *} g++
command ${FC%% *} gfortran
command pkg-config pkg-config
python venv,ensurepip python3-venv
header gtest/gtest.h libgtest-dev
header CLI/CLI.hpp libcli11-dev
header nlohmann/json.hpp nlohmann-json3-dev
header rdma/fabric.h libfabric-dev
module netcdf-fortran libnetcdff-dev"

# Prints the command that looks for a need; messages have the same words.
attempt() {
  case $1 in
  command) printf '%s' "command -v $2" ;;
  python) printf '%s' "python3 -c 'import $2'" ;;
  header) printf '%s' "echo '#include <$2>' | $CXX -std=c++20 -E -x c++ -" ;;
  module) printf '%s' "pkg-config --exists $2" ;;
  esac
}

is_there() { sh -c "$(attempt "$@")" >/dev/null 2>&1; }

# Prints the rows of needs that are not met.
unmet_needs() {
  printf '%s\n' "$needs" | while read -r how what package; do
    is_there "$how" "$what" || printf '%s\n' "$how $what $package"
  done
}

need_packages() {
  need_compilers
  need_new_compiler
  unmet=$(unmet_needs)
  [ -n "$unmet" ] || return 0
  name_what_hides_packages
  install_packages
  need_compilers
  need_new_compiler
  unmet=$(unmet_needs)
  [ -z "$unmet" ] || fail "Still missing after the installation: $(packages_of_unmet)
Tried:
$(attempts_of_unmet)"
}

packages_of_unmet() { printf '%s\n' "$unmet" | while read -r how what package; do printf '%s ' "$package"; done | sed 's/ $//'; }
attempts_of_unmet() { printf '%s\n' "$unmet" | while read -r how what package; do printf '  %s\n' "$(attempt "$how" "$what")"; done; }

# A compiler that cannot be used comes first: all that is looked for with it would seem to be missing. One that was not named and is not there is
# installed with the rest.
need_compilers() {
  mkdir -p "$log_dir"
  need_compiler CXX "$named_cxx" "$CXX" c++ 'int main() {}'
  need_compiler FC "$named_fc" "$FC" f95 end
  [ -z "$named_cc" ] || need_compiler CC "$named_cc" "$CC" c 'int main(void) { return 0; }'
}

# need_compiler VARIABLE VALUE_GIVEN COMMAND LANGUAGE PROGRAM: the command may have options.
need_compiler() {
  if ! command -v "${3%% *}" >/dev/null; then
    [ -z "$2" ] || fail "$1 is '$2', and there is no program '${3%% *}'.
Tried: command -v ${3%% *}
Let $1 name a compiler that is there, or unset it."
    return 0
  fi
  tried="echo '$5' | $3 -x $4 - -o $log_dir/tried"
  sh -c "$tried" >"$log_dir/tried.log" 2>&1 || fail "The compiler '$3' cannot build a program: $(first_complaint "$log_dir/tried.log")
Tried: $tried${2:+
It was named by $1; without that it is the one on the PATH.}"
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Where a package is installed and nothing of it is found, another program stands before the one that finds it.
name_what_hides_packages() {
  hidden=$(printf '%s\n' "$unmet" | while read -r how what package; do ! is_installed "$package" || say_what_hides "$how" "$what" "$package"; done)
  [ -z "$hidden" ] || fail "$hidden
Let the system's programs come first, for example: PATH=/usr/bin:\$PATH ./go"
}

say_what_hides() {
  case $1 in
  command) say "The package $3 is installed, but there is no program '$2' on the PATH. Tried: $(attempt "$1" "$2")" && return ;;
  python) finder=python3 ;;
  header) finder=${CXX%% *} ;;
  module) finder=pkg-config ;;
  esac
  say "The package $3 is installed, but $(command -v "$finder" || say "$finder, which is not there,") does not find it. Tried: $(attempt "$1" "$2")"
}

apt_install() {
  shown apt-get update && DEBIAN_FRONTEND=noninteractive shown apt-get install -y --no-install-recommends "$@" -o DPkg::Lock::Timeout=300
}

install_packages() {
  packages=$(packages_of_unmet)
  install_line="apt-get install -y --no-install-recommends $packages"
  if ! command -v apt-get >/dev/null; then
    fail "Missing, by the names of their Debian packages: $packages
Tried:
$(attempts_of_unmet)
There is no apt-get here: install them your system's way and run ./go again."
  elif [ "$(id -u)" -ne 0 ]; then
    fail "Missing: $packages
Tried:
$(attempts_of_unmet)
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
  command -v "${CXX%% *}" >/dev/null || return 0
  # shellcheck disable=SC2086  # a program, and perhaps options
  case $($CXX --version) in
  *clang*) return 0 ;;
  esac
  # shellcheck disable=SC2086
  version=$($CXX -dumpversion)
  case $version in
  [0-9]*) ;;
  *) fail "$CXX says no version: it is no g++ or clang++. Tried: $CXX -dumpversion" ;;
  esac
  [ "${version%%.*}" -ge 12 ] || fail "$CXX is version $version, but 12 or newer is needed. Tried: $CXX -dumpversion. With newer compilers beside it:

  CC=gcc-12 CXX=g++-12 FC=gfortran-12 ./go"
}
