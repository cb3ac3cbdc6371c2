// How messages for a peer of the node are packed, as trials on this node have found (docs/design/004-packing-for-a-peer.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace halocline::core {

enum class Packing : char { not_tried, kept, fetched, past_caches };
/// By size: entry n is the best packing of messages of at most 2^n bytes. The same on all ranks of the node.
using Packings = std::array<Packing, 64>;

}  // namespace halocline::core
