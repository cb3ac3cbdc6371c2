// Faults of an MPI library, made on purpose: while one is set, what this rank sends is damaged in transit.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::test {

enum class Fault {
  none,
  stale,     ///< the bytes of an earlier message arrive again
  torn,      ///< the second half of the bytes does not arrive
  misplaced  ///< two messages are exchanged
};

/// Damages what this rank puts, and what its persistent sends send, from now on. Set it between two swaps.
void set_fault(Fault fault);

}  // namespace halocline::test
