// Which ranks have not entered a call, for error messages. A step that has timed out reads the node's shared memory and asks the other
// nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "engine/communicator/communicator.hpp"

namespace halocline::core {

/// The most time that asking the ranks of other nodes takes: one second, or less if HALOCLINE_TIMEOUT is short.
std::int64_t longest_asking_ns(const Topology &topology);

/// The ranks that have not entered this rank's collective call, with the calls that they are in: "rank 1 (in hlc_barrier)". Empty if none
/// is known to be missing. Ranks of other nodes are asked, only some of them if there are very many.
std::string name_missing(Communicator &communicator);

/// The same for a call that synchronises in shared memory only: the ranks of this node that do not wait in the call `mine`. Ranks of other
/// nodes are not asked.
std::string name_missing_members(Communicator &communicator, CallWord mine);

}  // namespace halocline::core
