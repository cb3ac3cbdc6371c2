// The table and the JSON file of `halocline_library_bench rma`.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "library/rma.hpp"

namespace bench {

namespace {

constexpr int kRmaFormat = 2;  // of the file; docs/performance.md describes it

std::string operations_of(const RmaReport &report) {
  std::vector<Cells> rows{
      {"operation", "bytes", "halocline us", "spread", "host us", "spread", "host/halocline", "spread", "limit us", "to the limit"}};
  for (const RmaRow &row : report.rows)
    rows.push_back({row.operation, std::to_string(row.bytes), significant(row.loaded.median), spread_of(row.loaded),
                    significant(row.host.median), spread_of(row.host), number(row.ratio.median, 2),
                    number(row.ratio.p10, 2) + " - " + number(row.ratio.p90, 2), significant(row.limit.median),
                    number(row.loaded.median / row.limit.median, 1)});
  return "Microseconds of the slowest rank; a ratio above 1: the library is faster\n" + drawn(rows);
}

std::string interposition_of(const RmaReport &report) {
  if (report.interposition.empty()) return "";
  std::vector<Cells> rows{{"a call", "with the library ns", "without ns", "difference ns", "spread"}};
  for (const Interposition &one : report.interposition)
    rows.push_back({one.call, number(one.with.median, 1), number(one.without.median, 1), number(one.cost.median, 1),
                    number(one.cost.p10, 1) + " - " + number(one.cost.p90, 1)});
  return "MPI_Win_flush of MPI_PROC_NULL, beside a call that does nothing, and beside the host's own\n" + drawn(rows);
}

Json json_of(const RmaRow &row) {
  return {{"part", row.part},
          {"operation", row.operation},
          {"bytes", row.bytes},
          {"verified_bytes", row.verified_bytes},
          {"ratio", {{"median", row.ratio.median}, {"p10", row.ratio.p10}, {"p90", row.ratio.p90}}},
          {"loaded", json_of(row.loaded)},
          {"host", json_of(row.host)},
          {"limit", json_of(row.limit)}};
}

}  // namespace

std::string table_of(const RmaReport &report) {
  std::string text = head_of("MPI RMA", report.environment);
  if (!report.loaded) text += "libhalocline_mpi is not loaded: both columns are the host MPI's\n";
  text +=
      "limit: a copy, or the atomic instructions that an operation needs at least, on memory of the same node; where all ranks take part, "
      "the hand-over of a cache line, twice for PSCW\n";
  return text + operations_of(report) + interposition_of(report);
}

Document document_of(const RmaReport &report) {
  Document document{{"rma", report.environment, {}}, {{"format", kRmaFormat}, {"loaded", report.loaded}}};
  Json &all = document.details;
  all["operations"] = Json::array();
  for (const RmaRow &row : report.rows) {
    all["operations"].push_back(json_of(row));
    if (report.loaded) document.results.rows.push_back({row.operation, "drop-in", row.bytes, row.loaded.samples, row.limit.median});
    document.results.rows.push_back({row.operation, "host", row.bytes, row.host.samples, row.limit.median});
  }
  all["interposition"] = Json::array();
  for (const Interposition &one : report.interposition)
    all["interposition"].push_back({{"call", one.call},
                                    {"with", json_of(one.with, "_ns")},
                                    {"without", json_of(one.without, "_ns")},
                                    {"cost", json_of(one.cost, "_ns")}});
  return document;
}

}  // namespace bench
