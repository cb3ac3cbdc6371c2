// The options that all commands of halocline-bench share.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// How results are printed: tables for people, JSON of one row per line, the columns of the OSU and of the Intel benchmarks, or CSV.
enum class Format { table, jsonl, osu, imb, csv };

struct CommonOptions {
  std::vector<std::int64_t> sizes;  ///< bytes of a message, or of a rank's array
  std::vector<int> ranks;           ///< how many ranks take part, one run for each; empty: all
  int repetitions = 25;             ///< rounds, that is samples of each
  double sample_ms = 4;             ///< a sample repeats the operation until it takes about so long
  int fake_nodes = 0;
  std::uint64_t seed = 1;  ///< of the order in a round
  bool progress = false;
  Format format = Format::table;
  std::string json;
};

}  // namespace bench
