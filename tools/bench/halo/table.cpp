// The report as a table in the terminal.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/report.hpp"

#include <cstdio>

namespace bench {

namespace {

Cells cells_of(const Row &row) {
  return {row.name,
          significant(row.median_us),
          significant(row.p10_us),
          significant(row.p90_us),
          significant(row.ratio_to_p2p, "x"),
          number(row.gb_per_s, 2),
          number(row.times_limit, 2, "x"),
          row.route};
}

std::string times(const std::vector<int> &ranks) {
  return std::to_string(ranks[0]) + " x " + std::to_string(ranks[1]) + (ranks[2] > 1 ? " x " + std::to_string(ranks[2]) : "");
}

/// What crosses nodes in one swap; nothing is said about one node.
std::string placement(const Report &r) {
  const hlc_placement &p = r.placement;
  if (p.nodes < 2) return "";
  const std::string grid = p.node_dims[0] > 0 ? ", node grid " + times({p.node_dims[2], p.node_dims[1], p.node_dims[0]}) : "";
  return "between nodes " + bytes(static_cast<double>(p.bytes_before)) + " of " + bytes(static_cast<double>(p.bytes)) +
         " per swap in MPI_Cart_create's order, " + bytes(static_cast<double>(p.bytes_after)) + " reordered" + grid +
         (r.options.reorder ? " (as measured here)" : " (not used here: --reorder)") + "\n";
}

std::string title(const Report &r) {
  const HaloOptions &o = r.options;
  char text[400];
  std::snprintf(text, sizeof text,
                "Halo swap of %d field%s of %s, %lld x %lld x %lld cells per rank, depth %lld, %s stencil\n"
                "%d rank%s (%s), %d node%s%s, %d core%s, %s, %s of halo per rank\n",
                o.fields, o.fields == 1 ? "" : "s", o.type.c_str(), static_cast<long long>(o.local[0]), static_cast<long long>(o.local[1]),
                static_cast<long long>(o.local[2]), static_cast<long long>(o.depth), o.stencil == halocline::Stencil::box ? "box" : "star",
                r.environment.context.size, r.environment.context.size == 1 ? "" : "s", times(r.ranks).c_str(), r.environment.context.nodes,
                r.environment.context.nodes == 1 ? "" : "s", o.fake_nodes > 0 ? " (pretended)" : "", r.environment.context.cores,
                r.environment.context.cores == 1 ? "" : "s", r.environment.mpi_short.c_str(),
                bytes(static_cast<double>(r.halo_bytes)).c_str());
  return text + placement(r);
}

std::string notes(const Report &r) {
  std::string text = "limit: strided copy " + significant(r.copy_us) + " us and one hand-over " + number(r.handover_us, 2) + " us\n";
  if (r.environment.oversubscribed())
    text += "oversubscribed: the " + std::to_string(r.environment.context.node_size) + " ranks of a node share " +
            std::to_string(r.environment.context.cores) + " core(s); all times include waiting for a core\n";
  if (r.options.skew_us > 0)
    text += "skew: every rank is late by up to " + significant(r.options.skew_us) + " us; waiting for the late is on the clock\n";
  if (r.options.edge == Edge::rewrite) text += "edge: rewritten by its owner before every swap, off the clock\n";
  for (const auto &[mode, reason] : r.skipped) text += "left out: " + mode + ": " + reason + "\n";
  return text;
}

std::string verdict(const Report &r) {
  const Row *best = nullptr;
  std::int64_t cells = 0;
  for (const Row &row : r.rows) {
    cells += row.verified_cells;
    if (row.swaps && (!best || row.median_us < best->median_us)) best = &row;
  }
  char text[300];
  std::snprintf(text, sizeof text,
                "%lld halo cells verified, all right. Fastest: %s, %.2f times as fast as p2p, %.2f times the physical limit.\n",
                static_cast<long long>(cells), best->name.c_str(), best->ratio_to_p2p, best->times_limit);
  return text;
}

}  // namespace

std::string table_of(const Report &report) {
  std::vector<Cells> rows{{"mode", "median us", "p10", "p90", "vs p2p", "GB/s", "vs limit", "route"}};
  for (const Row &row : report.rows) rows.push_back(cells_of(row));
  return title(report) + drawn(rows) + notes(report) + verdict(report);
}

}  // namespace bench
