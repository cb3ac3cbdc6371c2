// Faults of an MPI library, made on purpose: while one is set, what this rank sends is damaged on its way.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::test {

enum class Fault {
  none,
  stale,     ///< the bytes of an earlier message come again
  torn,      ///< the second half of the bytes does not come
  misplaced  ///< two messages are taken for each other
};

/// Damages what this rank puts, and what its persistent sends send, from now on. Set it between two swaps.
void set_fault(Fault fault);

}  // namespace halocline::test
