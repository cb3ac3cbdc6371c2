// The rank that writes a trace, and the clock that it reads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::core::trace {

/// A rank of MPI_COMM_WORLD, and where it runs.
struct Place {
  int rank = 0, ranks = 1;
  std::uint64_t clock = 0;  // the same for all processes that read one clock
};

/// The difference to the clock of another rank at one moment.
struct ClockSample {
  int reference = 0;  // the rank of MPI_COMM_WORLD that has the other clock
  std::uint64_t reference_clock = 0;
  std::int64_t at_ns = 0;       // of this rank's clock
  std::int64_t offset_ns = 0;   // to be added to this rank's clock
  std::int64_t round_trip_ns = 0;  // the error is at most half of it
};

}  // namespace halocline::core::trace
