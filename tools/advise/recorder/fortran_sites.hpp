// Call sites in Fortran.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace advise {

/// Finds the MPI's functions for Fortran, which the program's library may have loaded only now.
void find_fortran();

}  // namespace advise
