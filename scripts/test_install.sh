#!/bin/bash
# Installs a build folder to a temporary prefix, moves that, runs what was installed, and builds and runs separate C, C++ and Fortran programs
# against it: through find_package and through pkg-config. Then uninstalls and looks for leftovers. Last line: N passed, N failed, N skipped.
#   scripts/test_install.sh [--brief] build/release     --brief: one way of each kind, and what a wrong installation would break first
# SPDX-License-Identifier: BSD-3-Clause
set -u
scripts=$(cd "$(dirname "$0")" && pwd)
sources=$scripts/install_test
brief=
[ "$1" != --brief ] || { brief=yes && shift; }
build=$(cd "$1" && pwd) || exit 2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
cmake=$(cached CMAKE_COMMAND)
ninja=$(cached CMAKE_MAKE_PROGRAM)
mpicc=$(cached MPI_C_COMPILER)
mpicxx=$(cached MPI_CXX_COMPILER)
gfortran=$(cached CMAKE_Fortran_COMPILER)
mpifort=$(cached HALOCLINE_MPI_FORTRAN)
prefix=$work/prefix
version=$(cached CMAKE_PROJECT_VERSION)
series=${version%.*}

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

# check_if CONDITION REASON NAME COMMAND...: skipped with the reason unless the condition, a command in one word, is true.
check_if() {
  if $1 >/dev/null 2>&1; then
    shift 2
    check "$@"
  else
    echo "skipped: $2"
    skipped=$((skipped + 1))
  fi
}

# with_all COMMAND...: a check that --brief leaves out.
with_all() { [ -n "$brief" ] || "$@"; }

# Runs a command under the launcher of the build, with two ranks.
launch() {
  local start
  start=$(python3 - "$scripts" "$build" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import launch
start, count_flag = launch.launcher(sys.argv[2])
print(*filter(None, start), count_flag, 2)
PYTHON
  ) || return 1
  # shellcheck disable=SC2086  # words of a command
  timeout 60 $start "$@"
}

# Both ranks must answer, each in a line of its own: a program that never ran would print nothing.
runs_with_two_ranks() {
  launch "$@" >"$work/output" 2>&1
  local status=$?
  cat "$work/output"
  [ $status -eq 0 ] && [ "$(grep -c 'of 2 sees its neighbour' "$work/output")" -eq 2 ]
}

# Runs the rule that looks for what is built, with one file under a name that is not there.
looks_for() {
  sed "s|$1|$1-that-is-missing|" "$build/package/look_for_built.cmake" >"$work/look.cmake" && "$cmake" -P "$work/look.cmake"
}

says_what_is_not_built() {
  looks_for '/halocline-run' >"$work/said" 2>&1 && grep -q 'not installed, because they are not built: .*/halocline-run-that-is-missing' "$work/said" \
    || return 1
  looks_for '/libhalocline_gaspi' >"$work/said" 2>&1 && return 1
  cat "$work/said"
  tr -s '\n ' ' ' <"$work/said" | grep -q 'nothing is installed, because these are not built: .*/libhalocline_gaspi.*--target installed'
}

installs() {
  "$cmake" --install "$build" --prefix "$work/first" && mv "$work/first" "$prefix"
}

# configure NAME LANGUAGES TEXT: a project as a stranger would write it, that finds the prefix.
configure() {
  mkdir -p "$work/$1" && printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' "project(user LANGUAGES $2)" "$3" >"$work/$1/CMakeLists.txt"
  "$cmake" -S "$work/$1" -B "$work/$1/build" -G Ninja "-DCMAKE_MAKE_PROGRAM=$ninja" "-DCMAKE_PREFIX_PATH=$prefix"
}

builds_with_find_package() {
  local languages=$1 source=$2 target=$3 components=$4 more=${5:-}
  local project=project-${languages// /-}-${source%.*}
  mkdir -p "$work/$project" && cp "$sources/$source" "$work/$project" && configure "$project" "$languages" "find_package(halocline $series REQUIRED $components)
$more
add_executable(user $source)
target_link_libraries(user PRIVATE $target)" && "$cmake" --build "$work/$project/build" && runs_with_two_ranks "$work/$project/build/user"
}

builds_with_pkg_config() {
  local compiler=$1 source=$2 package=$3 flags
  flags=$(pkg-config --cflags --libs "$package") || return 1
  # shellcheck disable=SC2086  # a list of flags
  "$compiler" -o "$work/by-pkg-config" "$sources/$source" $flags "-Wl,-rpath,$(pkg-config --variable=libdir halocline)" \
    && runs_with_two_ranks "$work/by-pkg-config"
}

# All three languages in one project, each with a program.
builds_a_project_in_all_languages() {
  mkdir -p "$work/all" && cp "$sources"/user.* "$work/all" && configure all 'C CXX Fortran' "find_package(halocline $series REQUIRED COMPONENTS Fortran)
add_executable(user_c user.c)
add_executable(user_cxx user.cpp)
add_executable(user_fortran user.F90)
target_link_libraries(user_c PRIVATE halocline::halocline)
target_link_libraries(user_cxx PRIVATE halocline::halocline)
target_link_libraries(user_fortran PRIVATE halocline::fortran)" && "$cmake" --build "$work/all/build" || return 1
  for language in c cxx fortran; do
    runs_with_two_ranks "$work/all/build/user_$language" || return 1
  done
}

# A version is refused by name, not for some other failure.
refuses_version() {
  configure "version-$1" C "find_package(halocline $1 REQUIRED)" >"$work/refusal" 2>&1 && return 1
  cat "$work/refusal"
  grep -qF "halocline-config.cmake, version: $version" "$work/refusal"
}

refuses_other_versions() { refuses_version "${version%%.*}.999" && refuses_version "$series.999" && refuses_version 99.0; }

# A component that is not there is named.
names_a_missing_component() {
  configure component C "find_package(halocline $series REQUIRED COMPONENTS C CXX Rust)" >"$work/refusal" 2>&1 && return 1
  cat "$work/refusal"
  tr -s '\n ' '  ' <"$work/refusal" | grep -qF 'halocline has no component Rust; it has C, CXX, Fortran, gaspi, shmem and armci'
}

# A wrapper and the launcher that are installed.
builds_with_wrapper() {
  local wrapper=$1 source=$2 flags
  flags=$(python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import launch; print(*launch.flags(sys.argv[2]))' "$scripts" "$(cached MPIEXEC_EXECUTABLE)")
  # shellcheck disable=SC2086  # words of a command
  "$prefix/bin/$wrapper" "$sources/$source" -o "$work/by-$wrapper" && timeout 60 "$prefix/bin/oshrun" $flags -n 2 "$work/by-$wrapper" >"$work/output" 2>&1
  local status=$?
  cat "$work/output"
  [ $status -eq 0 ] && [ "$(grep -c 'of 2 sees its neighbour' "$work/output")" -eq 2 ]
}

reads_every_module() {
  local module
  for module in "$prefix"/include/halocline/fortran/*.mod; do
    module=$(basename "$module" .mod)
    printf 'use %s\nend\n' "$module" >"$work/module.f90"
    "$gfortran" -fsyntax-only "$(pkg-config --cflags-only-I halocline-fortran | sed 's/ .*//')" "$work/module.f90" || return 1
  done
  [ "$module" != '*' ]
}

# Each header by itself, with all warnings; the MPI's own header is let off them.
compiles_every_header_alone() {
  local header count=0 system
  system=$("$mpicxx" -show 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I"*\([^"]*\)"*$/-isystem \1/p')
  [ -n "$system" ] || system=$("$mpicxx" --showme:incdirs | tr ' ' '\n' | sed 's/^/-isystem /')
  # What shmem.h includes stands by itself nowhere.
  for header in $(cd "$prefix/include" && find GASPI.h GASPI_Ext.h shmem.h shmemx.h pshmem.h mpp armci.h armcix.h message.h mp3.h parmci.h halocline -name '*.h*' \
    ! -path 'halocline/shmem/*'); do
    # shellcheck disable=SC2086  # a list of flags
    "$(cached CMAKE_CXX_COMPILER)" -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $system "-I$prefix/include" -x c++ \
      -include "$header" /dev/null || return 1
    count=$((count + 1))
  done
  [ $count -gt 1 ]
}

bench_runs() {
  launch "$prefix/bin/halocline-bench" --version | grep -qx "halocline-bench $(pkg-config --modversion halocline)" \
    && launch "$prefix/bin/halocline-bench" halo --help | grep -q -- --fields \
    && launch "$prefix/bin/halocline-bench" halo --fields 1 --local 6,6,8 --repetitions 2 | tee "$work/table" && grep -q direct "$work/table"
}

cloud_runs() {
  launch "$prefix/bin/cloud" --help | grep -q usage \
    && launch "$prefix/bin/cloud" "$prefix/share/halocline/cloud/thermals.nml" --global 12,12,10 --steps 1 | tee "$work/report" && [ -s "$work/report" ]
}

# A page for every program, the helper's too, which bears this version.
has_man_pages() {
  local program
  for program in "$prefix"/bin/* "$prefix"/lib*/halocline/halocline-helper; do
    [ ! -x "$program" ] || grep -q "\"Halocline $version\"" "$prefix"/share/man/man?/"$(basename "$program")".? || return 1
  done
}

# The command finds the programs beside it, and the default card.
command_runs() {
  env -u PYTHONPATH -C "$work" "$prefix/bin/halocline" --version | grep -qx "halocline $version" \
    && env -C "$work" MPIEXEC=false "$prefix/bin/halocline" run --show "$prefix/bin/halocline-run" | tee "$work/command" && grep -q -- '-n 2' "$work/command" \
    && env -C "$work" "$prefix/bin/halocline" explain --json --card "$prefix/share/halocline/default_card.json" | grep -q '"predictions"'
}

has() { [ -x "$prefix/bin/$1" ]; }
has_mpi_module() { [ -n "$mpifort" ] && printf 'use mpi\nend\n' >"$work/m.f90" && "$mpifort" -c -o "$work/m.o" "$work/m.f90"; }

names_no_path_of_the_build() { [ -d "$prefix" ] && ! grep -rlF -e "$work/first" -e "$build" "$prefix"; }

uninstall() { "$cmake" --build "$build" --target uninstall; }

# Nothing at all is left of a prefix that was not there before; one that was there keeps what it had.
uninstalls_everything() {
  mv "$prefix" "$work/first" && uninstall || return 1
  find "$work/first"
  [ ! -e "$work/first" ]
}

stages_and_uninstalls() {
  mkdir -p "$work/stage/usr/local/lib" && touch "$work/stage/usr/local/bin"
  rm "$work/stage/usr/local/bin" && export DESTDIR=$work/stage
  "$cmake" --install "$build" --prefix /usr/local && [ -e "$DESTDIR/usr/local/include/halocline/halocline.h" ] && [ ! -e /usr/local/include/halocline ] \
    && uninstall
  local status=$? left
  unset DESTDIR
  left=$(cd "$work/stage" && find . | sort | tr '\n' ' ')
  echo "left: $left"
  [ $status -eq 0 ] && [ "$left" = '. ./usr ./usr/local ./usr/local/lib ' ]
}

check 'the installation says what is not built' says_what_is_not_built
check 'installs and can be moved' installs
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name halocline.pc)")
check_if 'has halocline-bench' 'halocline-bench is not part of this build' 'the installed bench runs' bench_runs
check_if 'has halocline' 'the command halocline is not part of this build' 'the installed command runs' command_runs
check_if 'has cloud' 'cloud is not part of this build' 'the installed cloud runs' cloud_runs
check 'every program has its manual page' has_man_pages
with_all check 'every header compiles alone' compiles_every_header_alone
with_all check 'every Fortran module can be read' reads_every_module
with_all check 'find_package serves a C project' builds_with_find_package C user.c halocline::halocline ''
with_all check 'find_package serves a C++ project without C' builds_with_find_package CXX user.cpp halocline::halocline ''
with_all check 'find_package serves a Fortran project without C' builds_with_find_package Fortran user.F90 halocline::fortran 'COMPONENTS Fortran'
with_all check_if has_mpi_module 'this MPI has no module mpi for this compiler' 'find_package serves a Fortran project that finds MPI itself' builds_with_find_package \
  'C Fortran' user_mpi.F90 'halocline::fortran MPI::MPI_Fortran' 'COMPONENTS Fortran' 'find_package(MPI REQUIRED COMPONENTS Fortran)'
check 'find_package serves a project in all three languages' builds_a_project_in_all_languages
with_all check 'find_package refuses other versions' refuses_other_versions
check 'find_package names a component that is not there' names_a_missing_component
check 'pkg-config serves a C program' builds_with_pkg_config "$mpicc" user.c halocline
with_all check 'find_package serves a GASPI program' builds_with_find_package C user_gaspi.c halocline::gaspi ''
check 'pkg-config serves a GASPI program, compiled without MPI' builds_with_pkg_config "$(cached CMAKE_C_COMPILER)" user_gaspi.c halocline-gaspi
with_all check 'find_package serves an OpenSHMEM program' builds_with_find_package C user_shmem.c halocline::shmem 'COMPONENTS shmem'
check 'pkg-config serves an OpenSHMEM program, compiled without MPI' builds_with_pkg_config "$(cached CMAKE_C_COMPILER)" user_shmem.c halocline-shmem
check 'the installed oshcc and oshrun serve an OpenSHMEM program' builds_with_wrapper oshcc user_shmem.c
with_all check 'the installed oshc++ serves an OpenSHMEM program' builds_with_wrapper oshc++ user_shmem.cpp
with_all check_if 'has oshfort' 'this build has no Fortran' 'the installed oshfort serves an OpenSHMEM program' builds_with_wrapper oshfort user_shmem.f90
with_all check 'find_package serves an ARMCI program' builds_with_find_package C user_armci.c halocline::armci 'COMPONENTS armci'
with_all check 'find_package serves an ARMCI program that links the archive' builds_with_find_package C user_armci.c halocline::armci_static \
  'COMPONENTS C shmem armci gaspi'
check 'pkg-config serves an ARMCI program' builds_with_pkg_config "$mpicc" user_armci.c halocline-armci
check 'pkg-config serves a program with notified puts on MPI windows' builds_with_pkg_config "$mpicc" user_mpix.c halocline-mpix
check 'pkg-config serves a C++ program' builds_with_pkg_config "$mpicxx" user.cpp halocline
with_all check 'pkg-config serves a Fortran program' builds_with_pkg_config "$gfortran" user.F90 halocline-fortran
with_all check_if has_mpi_module 'this MPI has no module mpi for this compiler' 'pkg-config serves a Fortran program on module mpi' builds_with_pkg_config \
  "$mpifort" user_mpi.F90 halocline-fortran
check 'names no path of the build' names_no_path_of_the_build
check 'uninstall leaves nothing' uninstalls_everything
check 'DESTDIR is obeyed, and uninstall leaves what was there before' stages_and_uninstalls
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
