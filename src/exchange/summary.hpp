// The table of HALOCLINE_SUMMARY: what the rounds of one exchange took on each rank, and which ranks were late.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "exchange/round_trace.hpp"

namespace halocline::core {

/// One rank's part of the table.
struct SummaryRow {
  std::int64_t rank = 0;  // of MPI_COMM_WORLD
  RoundTimes times;
  std::int64_t awaited = 0;  // for how long all others together have waited for it
};

/// Gathers the rows on rank 0 of the plan, which keeps the table until the context ends. Collective.
Status summarise(const Plan &plan, const RoundTrace &trace);

/// The lines of a table of at least one row. `name` is that of the plan.
std::vector<std::string> summary_lines(const std::string &name, std::vector<SummaryRow> rows);

}  // namespace halocline::core
