// Which boxes of cells a rank's blocks exchange with those of other ranks, and with each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "blocks/boxes.hpp"
#include "blocks/tables.hpp"
#include "exchange/channel.hpp"

namespace halocline::core {

/// Lists the links of the tables, whose fields and arrays are known. Collective; the same status on all ranks.
Status find_links(Communicator &communicator, NodeLeaders &leaders, const hlc_blocks_spec &spec, BlockTables &tables);

/// An edge for each link.
std::vector<Edge> make_edges(const BlockTables &tables, int rank);

}  // namespace halocline::core
