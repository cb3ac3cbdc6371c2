// SPDX-License-Identifier: BSD-3-Clause
#include "stencil.hpp"

namespace ghost {

template <class Stencil>
static void apply(const View &in, const Target &out, const Index &cells) {
  for (std::int64_t z = 0; z < cells[2]; ++z)
    for (std::int64_t y = 0; y < cells[1]; ++y) {
      Lines<const double *> lines;
      for (int r = 0; r < 9; ++r) lines[static_cast<std::size_t>(r)] = in.at(0, y + r % 3 - 1, z + r / 3 - 1);
      average_row<Stencil>(lines, out.at(0, y, z), 0, cells[0]);
    }
}

void apply_with_ghosts(int points, const View &in, const Target &out, const Index &cells) {
  points == 27 ? apply<TwentySevenPoints>(in, out, cells) : apply<SevenPoints>(in, out, cells);
}

}  // namespace ghost
