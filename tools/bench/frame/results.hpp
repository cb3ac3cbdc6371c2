// The results of every command in one schema: rows of one operation, carried out in one way, with all samples and the physical limit beside
// them. docs/results.md describes it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/common_options.hpp"
#include "bench/frame/sampled.hpp"

#include <string>
#include <vector>

namespace bench {

/// One operation of one size, carried out in one way by so many ranks.
struct ResultRow {
  std::string operation, by;
  std::int64_t bytes = 0;
  std::vector<double> samples{};  ///< one per round
  double limit = 0;  ///< the same by the machine alone; 0 where there is none
  std::string unit = "us";
  double local_bytes = 0, neighbours = 0, messages = 0, blocks = 0, far_bytes = 0, far_messages = 0;  ///< as in hlc_model_case
  int ranks = 0, nodes = 0;  ///< 0: those of the environment
  double ranks_per_core = 0;
};

/// The row with the ranks, nodes and cores of the environment where it has none of its own.
ResultRow completed(ResultRow row, const Environment &environment);

/// What a row's numbers are drawn from; no sample is left out.
struct Spread {
  double median = 0, p10 = 0, p90 = 0;
  int outliers = 0;  ///< samples further from the nearer quartile than 3 times the distance of both
};
Spread spread_of(const std::vector<double> &samples);

struct Results {
  std::string benchmark;
  Environment environment;
  std::vector<ResultRow> rows;
  bool is_whole = true;  ///< false: there was no time for all
};

/// What becomes of samples that are far off; see Spread.
inline const std::string kOutliers =
    "no sample is left out: median, 10th and 90th percentile; outliers counts samples further from the nearer quartile than 3 times the "
    "distance of the quartiles";

/// A report as a file: its rows in the schema, what only this command has, and its rule for outliers.
struct Document {
  Results results;
  Json details = Json::object();
  std::string outliers = kOutliers;
};

/// Ranks for each core of a machine, 1 at least. Emulated nodes share one machine.
double ranks_per_core(const Environment &environment);

/// The text of a format that is not the command's own table. `first`: with the heads of the columns where they stand once.
std::string text_of(const Results &results, Format format, bool first);
/// What a table begins with: what was measured, where, and what shared cores mean for it.
std::string head_of(const std::string &what, const Environment &environment);
/// A table of all rows, for commands that have none of their own.
std::string table_of(const Results &results);
/// The whole file.
Json json_of(const Document &document);

}  // namespace bench
