// What all ranks must say alike of a halo, and what they find together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "exchange/modes/modes.hpp"
#include "halo/tables.hpp"

namespace halocline {

/// Fails with HLC_ERR_MISMATCH unless all ranks have given the same, as far as it must be. Collective; the same status on all ranks.
Status agree_on_spec(Context &context, const hlc_halo_spec &spec, const Options &options);

/// Finds the order of each field's dimensions in memory. It decides the order of cells in a message, so it is found by all ranks together: where a
/// rank has one cell along a dimension, its stride there says nothing, and the other ranks' does. Collective, as above.
Status agree_on_orders(Context &context, const hlc_halo_spec &spec, std::vector<HaloField> &fields);

}  // namespace halocline
