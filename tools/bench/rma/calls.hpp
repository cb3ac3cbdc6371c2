// The one-sided calls of MPI by both of their names: as the program finds them, and as the host MPI has them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace bench {

/// A table of functions. `libhalocline_mpi` takes both names of each, so that the host's are found in the host's own library.
struct RmaCalls {
  decltype(&MPI_Win_create) create;
  decltype(&MPI_Win_allocate) allocate;
  decltype(&MPI_Win_allocate_shared) allocate_shared;
  decltype(&MPI_Win_create_dynamic) create_dynamic;
  decltype(&MPI_Win_free) free;
  decltype(&MPI_Put) put;
  decltype(&MPI_Get) get;
  decltype(&MPI_Accumulate) accumulate;
  decltype(&MPI_Get_accumulate) get_accumulate;
  decltype(&MPI_Fetch_and_op) fetch_and_op;
  decltype(&MPI_Compare_and_swap) compare_and_swap;
  decltype(&MPI_Win_flush) flush;
  decltype(&MPI_Win_lock) lock;
  decltype(&MPI_Win_unlock) unlock;
  decltype(&MPI_Win_lock_all) lock_all;
  decltype(&MPI_Win_unlock_all) unlock_all;
  decltype(&MPI_Win_fence) fence;
  decltype(&MPI_Win_post) post;
  decltype(&MPI_Win_start) start;
  decltype(&MPI_Win_complete) complete;
  decltype(&MPI_Win_wait) wait;
};

/// MPI_Put and the others: the library's where it is loaded first.
const RmaCalls &loaded_calls();
const RmaCalls &host_calls();

/// Whether MPI_Put is that of libhalocline_mpi.
bool is_drop_in_loaded();

}  // namespace bench
