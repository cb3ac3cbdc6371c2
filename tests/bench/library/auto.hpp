// The command `auto`: how mode auto compares with the best single mode, over many configurations, and what its trial costs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bench {

struct AutoOptions : CommonOptions {
  AutoOptions() { repetitions = 21, sample_ms = 2; }

  double seconds = 540;  ///< what has not begun by then is left out
  int most = 1000;       ///< configurations
};

/// One configuration: auto beside every single mode, interleaved.
struct AutoCase {
  std::string what;
  std::string best, chosen;  ///< the single mode with the least median; the one that auto had chosen when both were compared
  std::string route;         ///< by which routes the swaps of auto's row went
  double auto_us = 0, best_us = 0;
  double trial_swaps = 0;  ///< what the first swaps took beyond those of a new halo in the best mode, in its later swaps; of several halos
  double create_us = 0, create_direct_us = 0;  ///< the creation of a halo in mode auto, and in mode direct
  double ratio() const { return auto_us / best_us; }
};

struct AutoReport {
  Results results;
  std::vector<AutoCase> cases;
  int left_out = 0;  ///< configurations for which there was no time
};

/// Collective over all ranks; the report is rank 0's, and nothing on others.
std::optional<AutoReport> run_auto(MPI_Comm all, const AutoOptions &options, int argc, char **argv);

std::string table_of(const AutoReport &report);
Document document_of(const AutoReport &report);

}  // namespace bench
