// Plays a scenario on the ranks of a context.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "random/player.hpp"

namespace halocline::test {

/// What this rank saw of a scenario.
struct Outcome {
  std::vector<std::string> complaints;
  bool usable = true;  // the context can play on: nothing is pending or unreleased
};

/// Plays a scenario. Collective; throws if the scenario itself cannot be read.
Outcome play(const Stage &stage, MPI_Comm comm, const Json &scenario);

}  // namespace halocline::test
