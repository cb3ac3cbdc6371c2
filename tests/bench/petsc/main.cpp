// PETSc beside the library, in the races and with the options of halocline_library_bench: its star forest in `mesh`, its DMDA in `halo`.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "grid.hpp"
#include "star_forest.hpp"

#include <library/commands.hpp>

int main(int argc, char **argv) {
  return bench::run_bench(argc, argv, "halocline_petsc_bench",
                          bench::library_commands(bench::add_petsc_grids, {bench::petsc_version(), bench::make_star_forests}));
}
