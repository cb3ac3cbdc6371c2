// The named types of MPI, and the basic type of each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "faces/mpi/datatype/elements.hpp"

namespace halocline::mpi {

struct Predefined {
  MPI_Datatype type;
  Basic basic;
};

/// Those that this MPI has. MPI is initialised.
std::vector<Predefined> predefined_types();

/// The basic type of Fortran's numbers of that size in bytes; Basic::other if there is none.
Basic integer_of(std::int64_t bytes);
Basic real_of(std::int64_t bytes);
Basic complex_of(std::int64_t bytes);

/// The pair of a value and an index, Basic::other if there is none.
Basic pair_of(Basic value, Basic index);

}  // namespace halocline::mpi
