// halocline-bench: measures halo swaps, and what goes between two ranks. Runs under the MPI launcher.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench.hpp"

int main(int argc, char **argv) { return bench::run_bench(argc, argv, "halocline-bench", bench::halocline_commands()); }
