// In place of petsc.cpp and petsc_grid.cpp where PETSc was not found, or was built with another MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/mesh/mesh.hpp"
#include "bench/petsc/grid.hpp"

namespace bench {

MeshContenders make_star_forests(MPI_Comm, const MeshPart &, int, double *) { return {}; }
std::string petsc_words() { return "not built in: CMake found no PETSc of this MPI"; }

void add_petsc_grids(Problem &, MPI_Comm, Contenders &) {}

}  // namespace bench
