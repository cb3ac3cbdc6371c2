// What a step changes, and where it begins.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "options.hpp"
#include "particles.hpp"

namespace pic {

struct State {
  /// Collective.
  State(const halocline::Context &context, const Block &block) : electric(context, block, 3), magnetic(context, block, 3) {}

  Array electric;  ///< on nodes
  Array magnetic;  ///< on centres
  std::vector<Species> species;
  std::int64_t step = 0;
};

/// Particles of this rank's cells, at time 0, and the fields that the case prescribes. Field and charge do not belong together yet. The same on any ranks.
void set_initial(const Block &block, const Options &options, State &state);

}  // namespace pic
