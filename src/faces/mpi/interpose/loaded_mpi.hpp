// Which MPIs are in the process. This library can stand before that MPI alone whose binary interface it was built for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::core::mpi {

/// Ends the process with a message and status 2 if it has an MPI of another binary interface. Silent in a program without MPI.
void refuse_other_mpi();

}  // namespace halocline::core::mpi
