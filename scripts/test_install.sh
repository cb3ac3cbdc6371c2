#!/bin/bash
# Installs a build folder to a temporary prefix, moves that, and builds and runs separate C, C++ and Fortran programs against it: through
# find_package and through pkg-config. Then uninstalls and looks for leftovers. Last line: N passed, N failed, N skipped.
#   scripts/test_install.sh build/release
# SPDX-License-Identifier: BSD-3-Clause
set -u
scripts=$(cd "$(dirname "$0")" && pwd)
sources=$scripts/install_test
build=$(cd "$1" && pwd) || exit 2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
passed=0 failed=0

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
cmake=$(cached CMAKE_COMMAND)
mpicc=$(cached MPI_C_COMPILER)
mpicxx=$(cached MPI_CXX_COMPILER)
gfortran=$(cached CMAKE_Fortran_COMPILER)
prefix=$work/prefix

check() {
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    echo "passed  $name"
    passed=$((passed + 1))
  else
    echo "FAILED  $name"
    sed 's/^/    /' "$work/log"
    failed=$((failed + 1))
  fi
}

# Two ranks must answer, each in a line of its own: a program that never ran would print nothing.
runs_with_two_ranks() {
  local launch
  launch=$(python3 - "$scripts" "$build" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import launch
start, count_flag = launch.launcher(sys.argv[2])
print(*filter(None, start), count_flag, 2)
PYTHON
  ) || return 1
  # shellcheck disable=SC2086  # words of a command
  timeout 60 $launch "$@" >"$work/output" 2>&1
  local status=$?
  cat "$work/output"
  [ $status -eq 0 ] && [ "$(grep -c 'of 2 sees its neighbour' "$work/output")" -eq 2 ]
}

installs() {
  "$cmake" --install "$build" --prefix "$work/first" && mv "$work/first" "$prefix"
}

# Finds the prefix as a stranger's project would, for the languages it is given.
builds_with_find_package() {
  local language=$1 source=$2 target=$3 project=$work/project-$1
  mkdir -p "$project" && cp "$sources/$source" "$project" && cat >"$project/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES $language)
find_package(halocline 0.1 REQUIRED $4)
add_executable(user $source)
target_link_libraries(user PRIVATE $target)
CMAKE
  "$cmake" -S "$project" -B "$project/build" -G Ninja "-DCMAKE_MAKE_PROGRAM=$(cached CMAKE_MAKE_PROGRAM)" "-DCMAKE_PREFIX_PATH=$prefix" \
    && "$cmake" --build "$project/build" && runs_with_two_ranks "$project/build/user"
}

builds_with_pkg_config() {
  local compiler=$1 source=$2 package=$3 flags
  flags=$(pkg-config --cflags --libs "$package") || return 1
  # shellcheck disable=SC2086  # a list of flags
  "$compiler" -o "$work/by-pkg-config" "$sources/$source" $flags "-Wl,-rpath,$(pkg-config --variable=libdir halocline)" \
    && runs_with_two_ranks "$work/by-pkg-config"
}

refuses_another_minor_version() {
  mkdir -p "$work/newer" && cat >"$work/newer/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(halocline 0.2 REQUIRED)
CMAKE
  "$cmake" -S "$work/newer" -B "$work/newer/build" -G Ninja "-DCMAKE_MAKE_PROGRAM=$(cached CMAKE_MAKE_PROGRAM)" \
    "-DCMAKE_PREFIX_PATH=$prefix" >"$work/refusal" 2>&1 && return 1
  cat "$work/refusal"
  grep -q 'halocline-config.cmake, version: 0\.1' "$work/refusal"
}

names_no_path_of_the_build() { [ -d "$prefix" ] && ! grep -rlF -e "$work/first" -e "$build" "$prefix"; }

uninstalls_everything() {
  mv "$prefix" "$work/first" && "$cmake" --build "$build" --target uninstall || return 1
  local left
  left=$(find "$work/first" -mindepth 1 \( ! -type d -o -name '*halocline*' \))
  echo "left: $left"
  [ -z "$left" ]
}

check 'installs and can be moved' installs
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name halocline.pc)")
check 'find_package serves a C project' builds_with_find_package C user.c halocline::halocline ''
check 'find_package serves a C++ project without C' builds_with_find_package CXX user.cpp halocline::halocline ''
check 'find_package serves a Fortran project without C' builds_with_find_package Fortran user.F90 halocline::fortran 'COMPONENTS Fortran'
check 'pkg-config serves a C program' builds_with_pkg_config "$mpicc" user.c halocline
check 'pkg-config serves a C++ program' builds_with_pkg_config "$mpicxx" user.cpp halocline
check 'pkg-config serves a Fortran program' builds_with_pkg_config "$gfortran" user.F90 halocline-fortran
check 'find_package refuses another minor version' refuses_another_minor_version
check 'names no path of the build' names_no_path_of_the_build
check 'uninstall leaves nothing' uninstalls_everything
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
