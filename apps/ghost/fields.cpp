// SPDX-License-Identifier: BSD-3-Clause
#include "fields.hpp"

#include <algorithm>

namespace ghost {

/// Faces across x are single cells, one per row.
static void copy_column(const View &from, const Target &to, const Index &cells) {
  for (std::int64_t z = 0; z < cells[2]; ++z)
    for (std::int64_t y = 0; y < cells[1]; ++y) *to.at(0, y, z) = *from.at(0, y, z);
}

void copy_box(const View &from, const Target &to, const Index &cells) {
  if (cells[0] == 1) return copy_column(from, to, cells);
  for (std::int64_t z = 0; z < cells[2]; ++z)
    for (std::int64_t y = 0; y < cells[1]; ++y) std::copy_n(from.at(0, y, z), cells[0], to.at(0, y, z));
}

double constant_beyond(int variable) { return 0.625 + variable; }

static std::uint64_t mixed(std::uint64_t word) {
  word += 0x9E3779B97F4A7C15u;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

double initial_value(const Index &cell, int variable) {
  std::uint64_t word = static_cast<std::uint64_t>(variable);
  for (const std::int64_t coordinate : cell) word = mixed(word ^ static_cast<std::uint64_t>(coordinate));
  return 1 + variable + static_cast<double>(word >> 12) / static_cast<double>(std::uint64_t{1} << 52);
}

/// Cells of one array with its ghost cells: whole cache lines, and one more, so that arrays do not all begin at the same place of a page.
static std::int64_t array_cells(const Index &cells, std::int64_t ghost) {
  const std::int64_t count = (cells[0] + 2 * ghost) * (cells[1] + 2 * ghost) * (cells[2] + 2 * ghost);
  return (count + 7) / 8 * 8 + 8;
}

Fields::Fields(std::byte *memory, const Index &cells, const Kind &kind)
    : first_(reinterpret_cast<double *>(memory)),
      cells_(cells),
      ghost_(kind.ghost),
      row_(cells[0] + 2 * ghost_),
      plane_(row_ * (cells[1] + 2 * ghost_)),
      array_(array_cells(cells, ghost_)) {}

std::size_t Fields::bytes(const Index &cells, const Kind &kind) {
  return static_cast<std::size_t>(kind.variables * array_cells(cells, kind.ghost)) * sizeof(double);
}

Target Fields::block(int variable) const {
  double *array = first_ + variable * array_;
  return {array + ghost_ * (1 + row_ + plane_), row_, plane_};
}

View Fields::edge(int variable, const Index &v) const {
  const Target all = block(variable);
  const auto first = [&](int d) { return v[d] > 0 ? cells_[d] - 1 : 0; };
  return {all.at(first(0), first(1), first(2)), all.row, all.plane};
}

Target Fields::halo(int variable, const Index &v) const {
  const Target all = block(variable);
  const auto first = [&](int d) { return v[d] > 0 ? cells_[d] : v[d]; };
  return {all.at(first(0), first(1), first(2)), all.row, all.plane};
}

void fill(const Fields &fields, const Grid &grid, int variables) {
  for (int variable = 0; variable < variables; ++variable) {
    const Target block = fields.block(variable);
    for (std::int64_t z = 0; z < grid.cells[2]; ++z)
      for (std::int64_t y = 0; y < grid.cells[1]; ++y)
        for (std::int64_t x = 0; x < grid.cells[0]; ++x)
          *block.at(x, y, z) = initial_value({grid.start[0] + x, grid.start[1] + y, grid.start[2] + z}, variable);
  }
}

}  // namespace ghost
