// PETSc beside the library, in the races and with the options of halocline-bench: its star forest in `mesh`, its DMDA in `halo`.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "grid.hpp"
#include "star_forest.hpp"

#include <bench/bench.hpp>

int main(int argc, char **argv) {
  return bench::run_bench(argc, argv, {bench::add_petsc_grids, {bench::petsc_version(), bench::make_star_forests}});
}
