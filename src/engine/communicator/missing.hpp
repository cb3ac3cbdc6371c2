// Which ranks have not come to a call, for messages. A step that has waited too long looks into the node's memory and asks the other nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "engine/communicator/communicator.hpp"

namespace halocline {

/// How long asking the ranks of other nodes takes at most: less than a second if HALOCLINE_TIMEOUT is short.
std::int64_t longest_asking_ns(const Topology &topology);

/// The ranks that have not come to the collective call in which this rank is, with the calls in which they are: "rank 1 (in hlc_barrier)".
/// Empty if none is known to be missing. Ranks of other nodes are asked, some of them if there are very many.
std::string name_missing(Communicator &communicator);

/// The same of a call that meets in shared memory alone: the ranks of this node that do not wait in the call `mine`. What ranks of other nodes do
/// is not asked.
std::string name_missing_members(Communicator &communicator, CallWord mine);

}  // namespace halocline
