// What all ranks must specify alike for a halo, and the order of dimensions in memory, which they find together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "exchange/modes/modes.hpp"
#include "halo/tables.hpp"

namespace halocline::core {

/// Fails with HLC_ERR_MISMATCH unless all ranks agree wherever they must. Collective; the same status on all ranks.
Status agree_on_spec(Communicator &communicator, const hlc_halo_spec &spec, const Options &options);

/// Finds the order of each field's dimensions in memory. It decides the order of cells in a message, so all ranks find it together. Where a
/// rank has one cell along a dimension, its stride there says nothing, but that of other ranks does. Collective, as above.
Status agree_on_orders(Communicator &communicator, const hlc_halo_spec &spec, std::vector<HaloField> &fields);

}  // namespace halocline::core
