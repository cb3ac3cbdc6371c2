// The table of HALOCLINE_SUMMARY: what the swaps of one plan took on each rank, and which ranks were late.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/status.hpp"
#include "exchange/swap_times.hpp"

namespace halocline::core {

class Communicator;

/// Gathers the rows on rank 0 of the plan, which keeps the table until the context ends. Collective.
Status summarise(Communicator &communicator, SwapTimes &times);

}  // namespace halocline::core
