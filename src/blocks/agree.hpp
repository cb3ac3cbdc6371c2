// What all ranks of a plan of blocks must agree on before it is made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "blocks/tables.hpp"
#include "exchange/channel.hpp"

namespace halocline::core {

/// Fails unless the spec and the options are the same on all ranks, but for their blocks. Collective; the same status on all ranks.
Status agree_on_blocks(Communicator &communicator, const hlc_blocks_spec &spec, const Options &options);

/// Fields have one shape and one type on all ranks, also on those without blocks, and their cells one order in messages. Collective; the
/// same status on all ranks.
Status agree_on_fields(Communicator &communicator, const hlc_blocks_spec &spec, BlockTables &tables);

}  // namespace halocline::core
