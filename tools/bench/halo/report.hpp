// What the race found, as a table for people and as JSON for programs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"
#include "bench/halo/race.hpp"

#include <map>
#include <string>
#include <vector>

namespace bench {

/// One contender's numbers.
struct Row {
  std::string name, mode, route;
  bool swaps;
  double median_us, p10_us, p90_us, ratio_to_p2p, gb_per_s, times_limit;
  std::int64_t verified_cells;
  int repeats;
  std::vector<double> samples_us;
};

struct Report {
  Environment environment;
  HaloOptions options;
  std::vector<int> ranks;   ///< along x, y, z
  hlc_placement placement;  ///< what crosses nodes, with and without --reorder
  std::int64_t halo_bytes;  ///< filled per rank and swap
  SwapShape shape;          ///< of the first rank
  double copy_us, handover_us, limit_us;
  std::vector<double> handover_samples_us;
  std::vector<Row> rows;  ///< the limit is the last
  std::map<std::string, std::string> skipped;
};

/// Draws the numbers together; local.
/// nodes: by rank.
Report make_report(const Environment &environment, const HaloOptions &options, const Problem &problem, const std::vector<int> &nodes,
                   const Race &race, const std::map<std::string, std::string> &skipped);

/// The table with its title, notes and verdict.
std::string table_of(const Report &report);

/// For a file: rows in the schema of all commands, and what only this one has.
Document document_of(const Report &report);

}  // namespace bench
