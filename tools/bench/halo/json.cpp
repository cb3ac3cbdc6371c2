// The report as JSON: environment, problem, limit, and per mode the numbers and every sample.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/report.hpp"

namespace bench {

static Json placement_of(const Report &r) {
  const hlc_placement &p = r.placement;
  return {{"reordered", r.options.reorder},
          {"bytes_per_swap", p.bytes},
          {"bytes_between_nodes_before", p.bytes_before},
          {"bytes_between_nodes_after", p.bytes_after},
          {"node_grid", {p.node_dims[2], p.node_dims[1], p.node_dims[0]}}};
}

static Json problem_of(const Report &r) {
  const HaloOptions &o = r.options;
  return {{"local", o.local},
          {"depth", o.depth},
          {"fields", o.fields},
          {"type", o.type},
          {"stencil", o.stencil == halocline::Stencil::box ? "box" : "star"},
          {"split", o.split_z ? "xyz" : "xy"},
          {"process_grid", r.ranks},
          {"placement", placement_of(r)},
          {"halo_bytes", r.halo_bytes},
          {"edge", o.edge == Edge::stamp ? "stamp" : "rewrite"},
          {"skew_us", o.skew_us},
          {"fake_nodes", o.fake_nodes},
          {"repetitions", o.repetitions},
          {"seed", o.seed}};
}

static Json mode_of(const Row &row, const Report &r) {
  return {{"mode", row.mode.empty() ? Json() : Json(row.mode)},
          {"median_us", row.median_us},
          {"p10_us", row.p10_us},
          {"p90_us", row.p90_us},
          {"ratio_to_p2p", row.ratio_to_p2p},
          {"limit_us", r.limit_us},
          {"times_limit", row.times_limit},
          {"gb_per_s", row.gb_per_s},
          {"bytes", r.halo_bytes},
          {"route", row.route},
          {"verified_cells", row.verified_cells},
          {"swaps_per_sample_at_end", row.repeats},
          {"samples_us", row.samples_us}};
}

/// Every swap beside the limit.
static std::vector<ResultRow> rows_of(const Report &report) {
  std::vector<ResultRow> rows;
  for (const Row &row : report.rows) {
    if (!row.swaps) continue;
    ResultRow one{"halo", row.name, report.shape.bytes, row.samples_us, report.limit_us};
    one.local_bytes = static_cast<double>(report.shape.local_bytes);
    one.neighbours = report.shape.neighbours, one.messages = report.shape.messages;
    one.blocks = static_cast<double>(report.shape.blocks);
    one.far_bytes = static_cast<double>(report.shape.far_bytes), one.far_messages = report.shape.far_messages;
    rows.push_back(std::move(one));
  }
  return rows;
}

Document document_of(const Report &report) {
  Json modes = Json::object(), limit;
  for (const Row &row : report.rows) {
    if (row.swaps)
      modes[row.name] = mode_of(row, report);
    else
      limit = {{"limit_us", report.limit_us},
               {"copy_us", report.copy_us},
               {"handover_us", report.handover_us},
               {"samples_us", row.samples_us},
               {"handover_samples_us", report.handover_samples_us}};
  }
  return {{"halo", report.environment, rows_of(report)},
          {{"problem", problem_of(report)}, {"limit", limit}, {"modes", modes}, {"skipped", report.skipped}}};
}

}  // namespace bench
