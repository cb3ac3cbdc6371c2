#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
#   ./go            set up, build, try the MPI, race all modes, run the cloud model in each; ends with the verdict and a report
#                   (--short: fewer steps and samples, to see that all works)
#   ./go test       set up, build for every MPI at hand, run the tests (--all: every test in every build; --long: the long ones too;
#                   -- -R NAME: as ctest's options say);
#                   "./go test --gpu": the tests of device fields on a CUDA device, and its bench, in 8 minutes after the build
#                   (--gpu --stand-in: a dry run without a device)
#   ./go build ...  set up, build what the tests of these presets need (./go build asan)
#   ./go bench ...  set up, build, run "halocline-bench halo ..." (first option -n RANKS: ranks to start, 2 if not given);
#                   "./go bench ghost ...": all variants of the mini-app ghost over the cells per rank, with plots;
#                   "./go bench apps ...": a short form of every mini-app, with one page of pictures;
#                   "./go bench ranking ...": every mini-app at its paper's size, by every method: one table, one picture;
#                   "./go bench hashtable ...", "... sparse ...", "... fft ...", "... lattice ...": those of these mini-apps over the ranks;
#                   "./go bench boltzmann ...": those of this mini-app over the sites per rank;
#                   "./go bench rma ...": libhalocline_mpi beside the RMA of every MPI at hand, with tables and plots;
#                   "./go bench model ...": fitted cost models of this machine, with a picture (8 ranks if not given);
#                   "./go bench simulate ...": the papers' experiments up to 32768 ranks by discrete events, and what-ifs, with pictures;
#                   "./go bench smpi ...": the library's own modes in SimGrid, which it builds first, beside these events
#   ./go clean      remove build/ and results/ ("./go clean --all": the private .venv too)
#   ./go help       print this
#
# Needs Debian 12, Ubuntu 24.04 or anything with the same tools. As root, missing packages are installed with apt; otherwise the line
# to install them is printed. The MPI is the site's if mpicxx is on the PATH, else private wheels in .venv. Logs lie in build/log.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) && cd -- "$root" || exit 1
# The user's Python modules are not those of the project's scripts.
unset PYTHONPATH PYTHONHOME PYTHONSTARTUP
for part in progress help packages wheels mpi build smpi; do
  . "$root/scripts/go/$part.sh"
done

set_up() {
  need_writable_tree
  need_packages
  choose_mpi
  need_wheels
}

run_main_job() {
  [ $# -le 1 ] || refuse "nothing may follow --short, but '$2' does"
  set_up
  begin 'Python for the pictures' pictures_python
  # To build the engine a second time takes a third of the time.
  mpi_5_abi=OFF
  build_preset release raced
  finish || say "No pictures: see $log"
  python3 scripts/main_job.py race --build build/release --results results "$@" || exit
  # What the verdict does not need is built after it.
  step 'Building the other programs' configure_and_build release installed
  exec python3 scripts/main_job.py report --build build/release --results results "$@"
}

# run_gpu [--stand-in]: on a machine with CUDA's driver, a C++ compiler and Python.
run_gpu() {
  stand_in=
  case ${1:-} in
  '') python3 scripts/gpu.py find || exit 1 ;;
  --stand-in) stand_in=build/release/tests/cuda_stand_in/libcuda.so.1 ;;
  *) refuse "test --gpu has no option '$1'; it has --stand-in" ;;
  esac
  set_up
  mpi_5_abi=OFF
  build_preset release halocline_device_staged halocline_device_order halocline-bench
  exec python3 scripts/gpu.py run --build build/release ${stand_in:+--stand-in "$stand_in"}
}

run_tests() {
  began=$(date +%s)
  case ${1:-} in
  --gpu)
    shift
    run_gpu "$@"
    ;;
  --all | --long)
    how=$1
    sanitized_programs=ON
    shift
    ;;
  esac
  case ${1:-} in
  '' | --) ;;
  *) refuse "test has no option '$1'; it has --all, --long, --gpu, and -- before options of ctest" ;;
  esac
  set_up
  want_tools ccache=ccache clang++=clang tc=iproute2 spin=spin tcc=tcc doxygen=doxygen python3-config=python3-dev
  is_there header ucp/api/ucp.h || want_packages libucx-dev
  # Its installation takes longer than all that it is for by default.
  [ -z "$how" ] || want_tools chromium=chromium
  [ -n "$how" ] || mpi_5_abi=OFF
  has ccache || say 'No ccache: what is built anew is compiled anew.'
  has clang++ || say 'No clang: the second compiler is not tried.'
  has tc || say 'No ip and tc: nothing is tried on several hosts.'
  has doxygen || say 'No doxygen: the site is not built.'
  is_there header ucp/api/ucp.h || say 'No headers of UCX: nothing is tried over UCX.'
  has spin || say 'No spin: the models of the protocols are not checked.'
  choose_test_builds
  try_step 'Python for the package' package_python || say "Not there, so the Python package is not built: see $log"
  begin 'Python for the tests' test_python
  # Beside the builds the tests would take several times as long: a rank that yields waits for a compiler.
  for preset in $test_presets; do
    # shellcheck disable=SC2046  # a target, or nothing
    build_preset "$preset" $(targets_of_tests)
  done
  finish || say "Not there, so random tests, formatter and linters are skipped: see $log"
  # shellcheck disable=SC2046,SC2086  # a list of folders
  exec tests/run $how --began "$began" --skipped "$skipped" $(printf 'build/%s ' $test_presets) "$@"
}

# With --all and --long all targets are needed.
targets_of_tests() { [ -n "$how" ] || printf default_tests; }

# The names of the presets that can be built. They are needed before CMake is there.
known_presets() {
  sed -n '/"configurePresets"/,/^  \]/{ /"hidden": true/d; s/^    { "name": "\([^"]*\)".*/\1/p; }' CMakePresets.json | tr '\n' ' '
}

# run_build [--all | --long] PRESET...: what the tests of these presets need; all targets with an option.
run_build() {
  case ${1:-} in
  --all | --long)
    how=$1
    sanitized_programs=ON
    shift
    ;;
  esac
  known=$(known_presets)
  [ $# -gt 0 ] || refuse "build wants the names of presets: $known"
  for preset in "$@"; do
    case " $known" in
    *" $preset "*) ;;
    # What a user has added is left to CMake.
    *) [ -f CMakeUserPresets.json ] || refuse "build: there is no preset '$preset'; there are: $known" ;;
    esac
  done
  set_up
  choose_test_builds
  for preset in "$@"; do
    # shellcheck disable=SC2046  # a target, or nothing
    build_preset "$preset" $(targets_of_tests)
  done
}

run_bench() {
  ranks=2 model_ranks=8
  if [ "${1:-}" = -n ]; then
    ranks=${2:?"-n wants the number of ranks"} model_ranks=$2
    case $ranks in
    *[!0-9]* | 0*) refuse "bench -n wants the number of ranks, 1 or more, not '$ranks'" ;;
    esac
    shift 2
  fi
  if asks_for_help "$@"; then
    help_with_bench "$@"
    exit
  fi
  case ${1:-} in
  boltzmann | ghost | hashtable | sparse | fft | lattice | pic | apps | ranking | rma | model | simulate | smpi | -* | '') ;;
  *) refuse "bench has no '$1'; it has boltzmann, ghost, hashtable, sparse, fft, lattice, pic, apps, ranking, rma, model, simulate, smpi, and the options of halocline-bench halo" ;;
  esac
  set_up
  case ${1:-} in
  boltzmann | ghost | hashtable | sparse | fft | lattice | pic)
    app=$1
    shift
    build_preset release "$app" halocline_mpi
    step 'Python for the pictures' pictures_python || say "No pictures: see $log"
    exec python3 "apps/$app/bench.py" --build build/release --ranks "$ranks" "$@"
    ;;
  apps | ranking)
    script=apps/bench.py
    [ "$1" = apps ] || script=apps/ranking.py
    shift
    # shellcheck disable=SC2046  # names without spaces
    build_preset release halocline_mpi $(for bench in apps/*/bench.py; do basename "${bench%/bench.py}"; done)
    step 'Python for the pictures' pictures_python || say "No pictures: see $log"
    exec python3 "$script" --build build/release --ranks "$ranks" "$@"
    ;;
  rma)
    shift
    build_drop_ins
    step 'Python for the pictures' pictures_python || say "No pictures: see $log"
    # shellcheck disable=SC2086  # a list of options
    exec python3 tests/bench/library/drop_in.py $drop_in_hosts --ranks "$ranks" "$@"
    ;;
  model)
    shift
    build_preset release halocline-bench
    step 'Python for the pictures' pictures_python || say "No pictures: see $log"
    mkdir -p results
    python3 scripts/launch.py --build build/release --ranks "$model_ranks" -- halocline-bench model --json results/model.json "$@" || exit 1
    exec "$(pictures_interpreter)" tools/command/halocline plot curves results/model.json -o results/model.png
    ;;
  smpi)
    shift
    build_preset release halocline-simulate
    need_simgrid
    step 'Building halocline-smpi' build_smpi_program
    step 'Python for the pictures' pictures_python || say "No pictures: see $log"
    mkdir -p results
    exec "$(pictures_interpreter)" tests/smpi/run.py --build build/release --smpi build/smpi --simgrid build/simgrid/install --json results/smpi.json \
      --picture results/smpi.png "$@"
    ;;
  simulate)
    shift
    build_preset release halocline-simulate
    step 'Python for the pictures' pictures_python || say "No pictures: see $log"
    mkdir -p results
    build/release/bin/halocline-simulate --json results/simulation.json "$@" || exit 1
    exec "$(pictures_interpreter)" tests/simulate/plot.py results/simulation.json results
    ;;
  esac
  build_preset release halocline-bench
  mkdir -p results
  exec python3 scripts/launch.py --build build/release --ranks "$ranks" -- halocline-bench halo --json results/halo.json "$@"
}

has() { command -v "$1" >/dev/null; }

clean() {
  case ${1:-} in '' | --all) ;; *) refuse "clean has no option '$1'; it has --all" ;; esac
  rm -rf build results
  if [ "${1:-}" = --all ]; then
    rm -rf .venv
  fi
}

case ${1:-} in '' | --short) set -- main "$@" ;; esac
command=$1
shift
case $command in
main) run_main_job "$@" ;;
test) run_tests "$@" ;;
build) run_build "$@" ;;
bench) run_bench "$@" ;;
clean) clean "$@" ;;
help | -h | --help) show_help ;;
*) refuse "there is no command '$command'; ./go help lists them" ;;
esac
