// Operations beside those of rma_tasks.hpp: notifications, barriers, reductions, overlap with computation, and what is made and freed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/rma/backends.hpp"

namespace bench {

/// What these operations need; it must outlive them.
struct Stage {
  MPI_Comm comm;
  const halocline::Context &context;
  RmaBackends &backends;
};

/// Bytes that a rank puts and tells the target of: half a round trip. By the host: MPI_Put, a flush and an empty message. `messages`: MPI_Send.
Operation make_notify(Stage &stage, std::int64_t bytes);
Operation make_barrier(Stage &stage);
/// A sum of doubles.
Operation make_allreduce(Stage &stage, std::int64_t bytes);
/// How many percent of a put's time hide behind a computation between put and flush that takes slightly longer.
Operation make_overlap(Stage &stage, std::int64_t bytes);
/// A window, or a segment, with a page per rank.
Operation make_creation(Stage &stage);

}  // namespace bench
