// The rows and lines of a table of HALOCLINE_SUMMARY.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halocline::core {

/// Sums over the swaps of one rank. Times are in nanoseconds.
struct SwapSums {
  std::int64_t swaps = 0, bytes_out = 0, bytes_in = 0;
  std::int64_t in_calls = 0;  // of start and finish together, over all swaps
  std::int64_t least = 0, most = 0;  // of one swap
  std::int64_t waits = 0;  // in these swaps
  std::int64_t all_waits = 0;  // in all calls of the library, from the first start to the last finish
  std::int64_t begun = 0, ended = 0;  // the first start, the last finish
};

/// One rank's part of the table.
struct SummaryRow {
  std::int64_t rank = 0;  // of MPI_COMM_WORLD
  SwapSums sums;
  std::int64_t awaited = 0;  // for how long all others together have waited for it
};

/// The lines of a table of at least one row. `title` names the plan.
std::vector<std::string> summary_lines(const std::string &title, std::vector<SummaryRow> rows);

/// Those of a table that has the row of one rank alone.
std::vector<std::string> summary_lines_of_one(const std::string &title, const SummaryRow &row);

}  // namespace halocline::core
