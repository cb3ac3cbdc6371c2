// What is known of this machine when a mode is chosen: its card of costs, and the verdicts of halocline-doctor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "model/card.hpp"
#include "model/verdicts.hpp"

namespace halocline::core {

struct Machine {
  Card card;
  Verdicts verdicts;

  /// Reads what the environment names, or what is kept for this host and this MPI. If `reports`, files that cannot be used are reported.
  static Machine find(bool reports);
};

/// The MPI's text, without what depends on the build.
std::string mpi_version();

}  // namespace halocline::core
