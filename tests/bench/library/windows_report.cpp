// The table and the JSON file of `halocline_library_bench windows`.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "library/windows.hpp"

namespace bench {

namespace {

constexpr int kWindowsFormat = 1;  // of the file; docs/performance.md describes it

Json json_of(const WindowCost &cost) {
  return {{"first_us", cost.first_us},   {"median_us", cost.us.median},       {"p10_us", cost.us.p10},
          {"p90_us", cost.us.p90},       {"samples_us", cost.us.samples},     {"windows", cost.windows},
          {"own_bytes", cost.own_bytes}, {"shared_bytes", cost.shared_bytes}, {"reserved_bytes", cost.reserved_bytes}};
}

void add_cells(const WindowCost &cost, Cells &cells) {
  cells.push_back(significant(cost.us.median) + " (" + spread_of(cost.us) + ")");
  cells.push_back(significant(cost.first_us));
  cells.push_back(significant(cost.own_bytes));
  cells.push_back(significant(cost.shared_bytes));
  cells.push_back(significant(cost.reserved_bytes));
}

}  // namespace

std::string table_of(const WindowReport &report) {
  std::vector<Cells> rows{{"kind", "halocline us", "first us", "own B", "shared B", "/dev/shm B", "host us", "first us", "own B",
                           "shared B", "/dev/shm B", "host/halocline"}};
  for (const WindowRow &row : report.rows) {
    Cells cells{row.kind};
    add_cells(row.loaded, cells);
    add_cells(row.host, cells);
    cells.push_back(number(row.host.us.median / row.loaded.us.median, 2));
    rows.push_back(cells);
  }
  std::string text = head_of("MPI windows", report.environment);
  if (!report.loaded) text += "libhalocline_mpi is not loaded: both sides are the host MPI's\n";
  return text +
         "A window made and freed, on the slowest rank; first: the first of a communicator. Bytes per rank and window, without the data: "
         "own, and its part of what ranks share\n" +
         drawn(rows);
}

Document document_of(const WindowReport &report) {
  Document document{{"windows", report.environment, {}},
                    {{"format", kWindowsFormat}, {"loaded", report.loaded}, {"window_bytes", report.window_bytes}}};
  Json &kinds = document.details["kinds"] = Json::array();
  for (const WindowRow &row : report.rows) {
    kinds.push_back({{"kind", row.kind}, {"loaded", json_of(row.loaded)}, {"host", json_of(row.host)}});
    const std::string operation = "window made and freed: " + row.kind;
    if (report.loaded) document.results.rows.push_back({operation, "drop-in", 0, row.loaded.us.samples});
    document.results.rows.push_back({operation, "host", 0, row.host.us.samples});
  }
  return document;
}

}  // namespace bench
