// Drives the batches of probes: starts a launch, follows its results, and when a probe hangs or crashes notes that, ends the launch and goes
// on behind it with a new one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "options.hpp"
#include "outcome.hpp"
#include "relaunch.hpp"

namespace doctor {

/// A launch that does not bring up its ranks.
class LaunchFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Ran {
  std::vector<Result> results;  ///< of the probes that options choose, in the order of the table; one entry each, whatever happens
  std::string windows;  ///< with a drop-in: how many windows it carried, and which it left to the MPI
};

Ran run_batches(const Options &options, const LaunchCommand &launch, int ranks);

/// What a result file says of the probes that options choose. `unfinished`: why the last probe that began has not ended.
std::vector<Result> read_results(const Options &options, const std::string &file, const Finding &unfinished);

}  // namespace doctor
