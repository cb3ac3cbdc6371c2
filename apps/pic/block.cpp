// SPDX-License-Identifier: BSD-3-Clause
#include "block.hpp"

#include <algorithm>

namespace pic {

Block::Block(const halocline::Context &context, const Int3 &cells, const Double3 &length, const std::array<int, 3> &ranks)
    : grid_(context, {cells[0], cells[1], cells[2]}, {1, 1, 1}, {ranks[0], ranks[1], ranks[2]}),
      n_{grid_.local(0), grid_.local(1), grid_.local(2)},
      length_(length),
      spacing_{length[0] / static_cast<double>(cells[0]), length[1] / static_cast<double>(cells[1]),
               length[2] / static_cast<double>(cells[2])},
      place_(cell_numbers()) {
  for (int d = 0; d < 3; ++d) {
    // Each rank knows its own part; the largest coordinate that any rank names for a cell is the only one.
    owner_[d].assign(static_cast<std::size_t>(grid_.global(d)), 0);
    std::fill_n(owner_[d].begin() + grid_.start(d), grid_.local(d), grid_.coord(d));
    MPI_Allreduce(MPI_IN_PLACE, owner_[d].data(), static_cast<int>(owner_[d].size()), MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  const auto along = [this](int d, std::int64_t i) { return (halo(d) > 0 ? i + 1 : (i + n(d)) % n(d)) * place_stride(d); };
  for (std::int64_t i = -1; i <= n(0); ++i)
    for (std::int64_t j = -1; j <= n(1); ++j)
      for (std::int64_t k = -1; k <= n(2); ++k) place_[cell(i, j, k)] = static_cast<std::uint32_t>(along(0, i) + along(1, j) + along(2, k));
}

int Block::owner(const Int3 &cell) const {
  std::array<int, HLC_MAX_DIMS> coords{};
  for (std::size_t d = 0; d < 3; ++d) coords[d] = owner_[d][static_cast<std::size_t>(cell[d])];
  return grid_.rank_at(coords);
}

void gather(const Block &block, const Array &from, double *to) {
  const auto width = static_cast<std::size_t>(from.width());
  for_own(block, [&](std::size_t cell, std::size_t own, auto, auto, auto) { std::copy_n(from.at(cell), width, to + own * width); });
}

void scatter(const Block &block, const double *from, Array &to) {
  const auto width = static_cast<std::size_t>(to.width());
  for_own(block, [&](std::size_t cell, std::size_t own, auto, auto, auto) { std::copy_n(from + own * width, width, to.at(cell)); });
}

}  // namespace pic
