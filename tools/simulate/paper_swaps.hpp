// Swaps that the papers describe and the library does not have: windows over the neighbours alone, late epochs, RMA without a hardware path, and messages
// that are all waited for.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "writer.hpp"

#include <vector>

namespace simulate {

/// All data are waited for before the first is unpacked. Source: Brown et al., section III.
void p2p_waitall(Writer &writer, const std::vector<Link> &links);

/// Each rank has a window over itself and its neighbours (Brown et al., section IV-A), so it is also in the windows of its neighbours. It may leave the
/// fences when all members of those have arrived: the ranks up to two steps away. The rank whose window it is gathers the words of its members, and releases
/// them.
void fence_neighbours(Writer &writer, const std::vector<Link> &links);

/// Brown et al., section V-A. An epoch on the window of each neighbour for each swap, with a lock that is a word of its rank. A non-blocking barrier of
/// each window's members ends it, by messages.
void naive_neighbours(Writer &writer, const std::vector<Link> &links);

/// PSCW whose epochs begin when the swap does, before the first put (Brown et al., section IV-C). The start waits for the posts of the neighbours, so the
/// puts of a neighbour have waited for its own neighbours.
void pscw_late(Writer &writer, const std::vector<Link> &links);

/// PSCW and fence where no hardware path carries puts (Brown et al., figure 10 and section VI): a put is a message, which the target's processor takes from
/// the queue, and which asks first if it is long. The words of PSCW and fence are messages, too.
void pscw_software(Writer &writer, const std::vector<Link> &links);
void fence_software(Writer &writer, const std::vector<Link> &links);

}  // namespace simulate
