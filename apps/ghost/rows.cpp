// SPDX-License-Identifier: BSD-3-Clause
#include "rows.hpp"

namespace ghost {
namespace {

/// Where cell i of a side of n cells lies: -1 and 1 beyond the ends (there as cell 0), 0 within.
struct Place {
  int side;
  std::int64_t cell;
};
Place place(std::int64_t i, std::int64_t n) {
  if (i < 0) return {-1, 0};
  if (i >= n) return {1, 0};
  return {0, i};
}

/// The first cell of a row of the surroundings; x = -1 and 1: the one before the row and the one after it, which lie elsewhere.
const double *cell_at(const Around &around, int x, const Place &y, const Place &z) {
  return around[static_cast<std::size_t>(kMiddle + x + 3 * y.side + 9 * z.side)].at(0, y.cell, z.cell);
}

/// The rows around one row, and its two ends, which the kernel sees as rows of one cell with their neighbours gathered on both sides.
class RowOfBlock {
 public:
  RowOfBlock(RowKernel kernel, std::int64_t count) : kernel_(kernel), count_(count) {
    for (std::size_t r = 0; r < 9; ++r) first_[r] = ends_[r].data() + 1, last_[r] = ends_[r].data() + 4;
  }

  /// Row r is read cell by cell.
  void set(std::size_t r, const double *cells) {
    rows_[r] = cells + 1;
    ends_[r][1] = cells[0], ends_[r][4] = cells[count_ - 1];
  }

  /// Row r is read with the neighbours of each cell along x.
  void set(std::size_t r, const double *cells, double left, double right) {
    set(r, cells);
    auto &end = ends_[r];
    end[0] = left, end[5] = right;
    end[2] = count_ > 1 ? cells[1] : right;
    end[3] = count_ > 1 ? cells[count_ - 2] : left;
  }

  void run(double *out) const {
    kernel_(first_, out, 1);
    if (count_ > 2) kernel_(rows_, out + 1, count_ - 2);
    if (count_ > 1) kernel_(last_, out + count_ - 1, 1);
  }

 private:
  RowKernel kernel_;
  std::int64_t count_;
  Rows rows_{}, first_{}, last_{};
  std::array<std::array<double, 6>, 9> ends_{};  ///< -1, 0, 1 and n - 2, n - 1, n
};

}  // namespace

void apply_with_views(RowKernel kernel, int stencil, const Around &around, const Target &out, const Index &cells) {
  const bool box = stencil == 27;
  RowOfBlock row(kernel, cells[0]);
  for (std::int64_t z = 0; z < cells[2]; ++z) {
    const Place layers[3] = {place(z - 1, cells[2]), place(z, cells[2]), place(z + 1, cells[2])};
    for (std::int64_t y = 0; y < cells[1]; ++y) {
      const Place lines[3] = {place(y - 1, cells[1]), place(y, cells[1]), place(y + 1, cells[1])};
      for (int r = 0; r < 9; ++r) {
        const Place &line = lines[r % 3], &layer = layers[r / 3];
        const auto number = static_cast<std::size_t>(r);
        if (box || r == 4)
          row.set(number, cell_at(around, 0, line, layer), *cell_at(around, -1, line, layer), *cell_at(around, 1, line, layer));
        else if (r % 2 == 1)
          row.set(number, cell_at(around, 0, line, layer));
      }
      row.run(out.at(0, y, z));
    }
  }
}

}  // namespace ghost
