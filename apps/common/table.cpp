// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include "statistics.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace common {

namespace {

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

}  // namespace

std::string number(double value, int digits, const char *unit) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f%s", digits, value, unit);
  return text;
}

std::string significant(double value, const char *unit) { return number(value, value < 10 ? 2 : value < 1000 ? 1 : 0, unit); }

std::string spread(const std::vector<double> &values, int digits) {
  return number(median(values), digits) + " (" + number(quantile(values, 0), digits) + " - " + number(quantile(values, 1), digits) + ")";
}

std::string bytes(double count) {
  return count < 1e3 ? number(count, 0, " B") : count < 1e6 ? significant(count * 1e-3, " kB") : significant(count * 1e-6, " MB");
}

std::string drawn(const std::vector<Cells> &rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Cells &row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string text = rule(widths, lines().top) + row_line(rows.front(), widths) + rule(widths, lines().middle);
  for (std::size_t r = 1; r < rows.size(); ++r) text += row_line(rows[r], widths);
  return text + rule(widths, lines().bottom);
}

}  // namespace common
