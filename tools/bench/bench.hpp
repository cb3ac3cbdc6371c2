// The program halocline-bench as a function, for programs that bring contenders of their own to its races.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/halo/halo.hpp"
#include "bench/mesh/mesh.hpp"

namespace bench {

/// What takes part beside the library.
struct Guests {
  AddContenders halo;
  MeshGuests mesh;
};

/// Calls MPI_Init and MPI_Finalize, and runs what the command line asks for. Returns the exit status.
int run_bench(int argc, char **argv, const Guests &guests = {});

}  // namespace bench
