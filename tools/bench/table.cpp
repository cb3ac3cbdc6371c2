// The report as a table in the terminal.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace bench {

namespace {

using Cells = std::vector<std::string>;

/// The characters that lines are drawn with.
struct Lines {
  const char *across, *down, *top[3], *middle[3], *bottom[3];
};
constexpr Lines kUnicode{"─", "│", {"┌", "┬", "┐"}, {"├", "┼", "┤"}, {"└", "┴", "┘"}};
constexpr Lines kAscii{"-", "|", {"+", "+", "+"}, {"+", "+", "+"}, {"+", "+", "+"}};

/// Launchers put a pipe between us and the terminal, so the locale decides, not isatty.
const Lines &lines() {
  for (const char *name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char *value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string locale(value);
    return locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos ? kUnicode : kAscii;
  }
  return kAscii;
}

std::string number(double value, int digits, const char *unit = "") {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f%s", digits, value, unit);
  return text;
}

/// Three or four significant digits, whatever the size.
std::string significant(double value, const char *unit = "") { return number(value, value < 10 ? 2 : value < 1000 ? 1 : 0, unit); }

std::string bytes(double count) {
  return count < 1e3 ? number(count, 0, " B") : count < 1e6 ? significant(count * 1e-3, " kB") : significant(count * 1e-6, " MB");
}

std::string padded(const std::string &text, std::size_t width, bool left) {
  const std::string room(width - text.size(), ' ');
  return left ? text + room : room + text;
}

std::string rule(const std::vector<std::size_t> &widths, const char *const ends[3]) {
  std::string line = ends[0];
  for (std::size_t c = 0; c < widths.size(); ++c) {
    for (std::size_t i = 0; i < widths[c] + 2; ++i) line += lines().across;
    line += ends[c + 1 < widths.size() ? 1 : 2];
  }
  return line + "\n";
}

std::string row_line(const Cells &cells, const std::vector<std::size_t> &widths) {
  std::string line = lines().down;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    line += ' ';
    line += padded(cells[c], widths[c], c == 0 || c + 1 == cells.size());
    line += ' ';
    line += lines().down;
  }
  return line + "\n";
}

std::string drawn(const std::vector<Cells> &rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Cells &row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string text = rule(widths, lines().top) + row_line(rows.front(), widths) + rule(widths, lines().middle);
  for (std::size_t r = 1; r < rows.size(); ++r) text += row_line(rows[r], widths);
  return text + rule(widths, lines().bottom);
}

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
         (r.options.reorder ? " (as measured here)" : " (not so here: --reorder)") + "\n";
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
            std::to_string(r.environment.context.cores) + " core(s); all times hold their waiting for a core\n";
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
