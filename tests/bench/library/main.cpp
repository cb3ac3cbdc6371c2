// halocline_library_bench: the benchmarks with which the library is developed. Runs under the MPI launcher.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "library/commands.hpp"

int main(int argc, char **argv) { return bench::run_bench(argc, argv, "halocline_library_bench", bench::library_commands()); }
