// The command `armci`: operations of libhalocline_armci from rank 0 to the last rank, beside another ARMCI and beside what the machine needs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"

namespace bench {

struct ArmciOptions : CommonOptions {
  std::vector<std::string> parts;
  std::string against;  ///< a shared library with another ARMCI; empty: none
};

/// The names of the parts, in order.
std::vector<std::string> armci_parts();

/// Collective. Throws std::runtime_error if a byte is wrong.
Results run_armci(MPI_Comm comm, const ArmciOptions &options, int argc, char **argv);

}  // namespace bench
