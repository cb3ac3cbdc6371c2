// PETSc's DMDA as a contender of the halo race.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bench/halo/contender.hpp>

namespace bench {

/// Adds two that fill the ghosts of a DMDA of the problem's shape: DMLocalToLocal in place, and DMGlobalToLocal, which copies the interior as
/// well. Their vectors are their own, with a component per field. Adds nothing where the elements are not float64. Collective.
void add_petsc_grids(Problem &problem, MPI_Comm comm, Contenders &contenders);

}  // namespace bench
