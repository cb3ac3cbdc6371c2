// The modes of a halo swap as protocols: what each rank does in a swap, as src/exchange/modes does it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "simulation.hpp"
#include "writer.hpp"

#include <functional>
#include <string>
#include <vector>

namespace simulate {

/// Writes a rank's swap over its links; what all ranks have in common is in the job.
using SwapProtocol = std::function<void(Writer &, const std::vector<Link> &)>;

/// A mode: its name, and what it does.
struct SwapMode {
  std::string name;
  SwapProtocol write;
};

/// All modes but notify_node, whose messages depend on all ranks of a node.
const std::vector<SwapMode> &swap_modes();
/// Names of all modes.
std::vector<std::string> swap_mode_names();

/// Whether ranks wait in the engine in that mode; in the others they wait in MPI.
bool waits_in_engine(const std::string &mode);

/// What happens between two swaps.
struct Between {
  double compute_us = 0;
  double noise_us = 0;   ///< mean of a rank's delay
  bool barrier = false;  ///< of all ranks, after that: no rank begins before the last is there
};

/// The job of a swap in a mode, with what precedes each. Refusal if there is no such mode.
Job swap_job(const std::string &mode, const Pattern &pattern, const Machine &machine, const Between &before);
/// The same of a protocol that is given.
Job swap_job(const SwapProtocol &protocol, const Pattern &pattern, const Machine &machine, const Between &before);

}  // namespace simulate
