// Whether all ranks of a plan hang together by their neighbours. Ranks of groups that do not may be any number of swaps apart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "engine/communicator/communicator.hpp"

namespace halocline::core {

/// neighbours: the ranks that this one exchanges data with. Where all ranks together have more than 2^24 it is not looked for, and the
/// answer is yes. Collective; the same answer on all ranks.
Status find_connected(Communicator &communicator, const std::vector<int> &neighbours, bool *connected);

}  // namespace halocline::core
