// The barrier of a segment, hlc_barrier.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/rma/operations.hpp"
#include "engine/rma/segment.hpp"

namespace halocline::core {

/// Waits for all ranks of the segment, in rounds: in each a rank notifies one rank and waits for another. One thread of a rank at a time.
Status barrier(Segment &segment);

/// The notification of one round: raises the word of that round, at the rank that is notified, to the number of the barrier. Does not wait.
Status raise_round(const char *call, Segment &segment, MonotonicWord round);
/// The same after all that this rank has put to that rank (raise_word_after_puts).
Status raise_round_after_puts(const char *call, Segment &segment, MonotonicWord round);

}  // namespace halocline::core
