// SPDX-License-Identifier: BSD-3-Clause
#include "rows.hpp"

namespace ghost {

Rows::Rows(int points, const Index &cells) : points_(points), cells_(cells), lines_(static_cast<std::size_t>(3 * (cells[1] + 2))) {}

/// Beyond the ends of a side of n cells others begin: at their cell 0.
static int side_of(std::int64_t i, std::int64_t n) { return i < 0 ? -1 : i >= n ? 1 : 0; }

/// All lines of one layer, each found once for the rows around it.
void Rows::find_lines(const Around &around, std::int64_t z) {
  const int up = side_of(z, cells_[2]);
  const std::int64_t at_z = up ? 0 : z;
  Line *line = layer(z);
  for (int side = -1; side <= 1; ++side) {
    const View *views = &around[static_cast<std::size_t>(kMiddle + 3 * side + 9 * up)];
    const std::int64_t count = side ? 1 : cells_[1];
    for (std::int64_t y = 0; y < count; ++y) *line++ = {views[0].at(0, y, at_z), *views[-1].at(0, y, at_z), *views[1].at(0, y, at_z)};
  }
}

const Rows::Line &Rows::line(std::int64_t y, std::int64_t z) const {
  return lines_[static_cast<std::size_t>((z + 3) % 3 * (cells_[1] + 2) + y + 1)];
}

template <class Stencil>
void Rows::average(const Lines<const Line *> &lines, double *out) const {
  const std::int64_t n = cells_[0];
  const auto end = [&lines, n](std::int64_t i) {
    return Stencil::average([&lines, i, n](int r, int x) {
      const Line &line = *lines[static_cast<std::size_t>(r)];
      return i + x < 0 ? line.left : i + x == n ? line.right : line.cells[i + x];
    });
  };
  Lines<const double *> cells;
  for (std::size_t r = 0; r < 9; ++r) cells[r] = lines[r]->cells;
  out[0] = end(0);
  average_row<Stencil>(cells, out, 1, n - 1);
  if (n > 1) out[n - 1] = end(n - 1);
}

template <class Stencil>
void Rows::apply_as(const Around &around, const Target &out) {
  find_lines(around, -1);
  find_lines(around, 0);
  for (std::int64_t z = 0; z < cells_[2]; ++z) {
    find_lines(around, z + 1);
    for (std::int64_t y = 0; y < cells_[1]; ++y) {
      Lines<const Line *> lines;
      for (int r = 0; r < 9; ++r) lines[static_cast<std::size_t>(r)] = &line(y + r % 3 - 1, z + r / 3 - 1);
      average<Stencil>(lines, out.at(0, y, z));
    }
  }
}

void Rows::apply(const Around &around, const Target &out) {
  points_ == 27 ? apply_as<TwentySevenPoints>(around, out) : apply_as<SevenPoints>(around, out);
}

}  // namespace ghost
