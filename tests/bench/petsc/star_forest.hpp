// PETSc's star forest as a contender of the mesh race.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <library/mesh.hpp>

namespace bench {

/// Star forests over values, one per type: basic, neighbor, window. Collective.
MeshContenders make_star_forests(MPI_Comm comm, const MeshPart &part, int components, double *values);
/// "PETSc 3.18.5".
std::string petsc_version();

}  // namespace bench
