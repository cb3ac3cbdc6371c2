// Which boxes of cells a rank's blocks exchange with those of other ranks, and with each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "blocks/boxes.hpp"
#include "blocks/tables.hpp"
#include "exchange/channel.hpp"

namespace halocline::core {

/// Lists the links of the tables, whose fields and arrays are known. Collective; the same status on all ranks.
Status find_links(Communicator &communicator, NodeLeaders &leaders, const hlc_blocks_spec &spec, BlockTables &tables);

/// Plans the copies of a piece anew, after its boxes have changed, or where the other block's array is.
void plan_copies(const BlockTables &tables, Piece &piece);
/// From now on swaps move the fields in tables.swapped.
void choose_fields(BlockTables &tables);
/// From now on swaps move at most so many halo cells per side. choose_fields follows.
void limit_depth(BlockTables &tables, std::int64_t most);

/// An edge for each link.
std::vector<Edge> make_edges(const BlockTables &tables, int rank);

}  // namespace halocline::core
