# What ./go says about itself and about the programs that ./go bench runs: before any set-up. Sourced by ./go.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
asks_for_help() {
  for word in "$@"; do
    case $word in -h | --help) return 0 ;; esac
  done
  return 1
}

show_help() { sed -n 's/^#   /  /p' "$root/go"; }

help_with_bench() {
  case ${1:-} in
  boltzmann | ghost | hashtable | sparse | fft | lattice | pic) show_help_of "apps/$1/bench.py" ;;
  apps) show_help_of apps/bench.py ;;
  ranking) show_help_of apps/ranking.py ;;
  rma) show_help_of tests/bench/library/drop_in.py ;;
  smpi) show_help_of tests/smpi/run.py ;;
  model) show_options halocline-bench model ;;
  simulate) show_options halocline-simulate ;;
  *)
    show_help | sed -n '/go bench/,/go clean/p' | sed '$d'
    printf '\nWithout one of these names it runs halocline-bench halo:\n\n'
    show_options halocline-bench halo
    ;;
  esac
}

show_help_of() {
  command -v python3 >/dev/null || fail "There is no python3 yet, which reads the options of $1: ./go installs it."
  python3 "$1" --help
}

# show_options PROGRAM [COMMAND]: the options of a manual page as plain text.
show_options() {
  awk -v part="${2:-}" '
    /^\.S[SH] / { wanted = part == "" ? $0 == ".SH OPTIONS" : $0 == ".SS " part; next }
    !wanted || /^\.\\"/ || /^\.(TP|PP|nf|fi)/ { next }
    { gsub(/\\-/, "-") }
    sub(/^\.B /, "") { print "  " $0; next }
    { print "      " $0 }' "docs/man/$1.1.in"
}
