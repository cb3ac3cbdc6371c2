// SPDX-License-Identifier: BSD-3-Clause
#include "serial.hpp"

namespace ghost {
namespace {

/// One variable on the whole grid. Cells are asked for by their place, which wraps around periodic dimensions.
class Whole {
 public:
  Whole(const Grid &grid, const Options &options, int variable)
      : n_(grid.global), options_(options), beyond_(constant_beyond(variable)), now_(static_cast<std::size_t>(volume(n_))), next_(now_) {
    for_each_cell([&](std::int64_t x, std::int64_t y, std::int64_t z) { now_[place(x, y, z)] = initial_value({x, y, z}, variable); });
  }

  void step() {
    for_each_cell([&](std::int64_t x, std::int64_t y, std::int64_t z) {
      next_[place(x, y, z)] = options_.stencil == 27 ? average_of_27(x, y, z) : average_of_7(x, y, z);
    });
    now_.swap(next_);
  }

  double at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    Index i{x, y, z};
    for (int d = 0; d < 3; ++d) {
      if (i[d] >= 0 && i[d] < n_[d]) continue;
      if (!options_.is_periodic(d)) return beyond_;
      i[d] = (i[d] + n_[d]) % n_[d];
    }
    return now_[place(i[0], i[1], i[2])];
  }

 private:
  std::size_t place(std::int64_t x, std::int64_t y, std::int64_t z) const { return static_cast<std::size_t>(x + n_[0] * (y + n_[1] * z)); }

  template <class Visit>
  void for_each_cell(Visit visit) {
    for (std::int64_t z = 0; z < n_[2]; ++z)
      for (std::int64_t y = 0; y < n_[1]; ++y)
        for (std::int64_t x = 0; x < n_[0]; ++x) visit(x, y, z);
  }

  double three(std::int64_t x, std::int64_t y, std::int64_t z) const { return (at(x - 1, y, z) + at(x, y, z)) + at(x + 1, y, z); }
  double nine(std::int64_t x, std::int64_t y, std::int64_t z) const { return (three(x, y - 1, z) + three(x, y, z)) + three(x, y + 1, z); }
  double average_of_27(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return ((nine(x, y, z - 1) + nine(x, y, z)) + nine(x, y, z + 1)) * (1.0 / 27.0);
  }
  double average_of_7(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return ((((three(x, y, z) + at(x, y - 1, z)) + at(x, y + 1, z)) + at(x, y, z - 1)) + at(x, y, z + 1)) * (1.0 / 7.0);
  }

  Index n_;
  const Options &options_;
  double beyond_;
  std::vector<double> now_, next_;
};

/// Which cell of the whole grid value i of this rank is, and of which variable.
struct Name {
  Index cell;
  std::size_t variable;
};
Name name_of(const Grid &grid, std::size_t i) {
  const auto n = static_cast<std::size_t>(volume(grid.cells));
  const auto c = static_cast<std::int64_t>(i % n);
  const Index &cells = grid.cells;
  return {{grid.start[0] + c % cells[0], grid.start[1] + c / cells[0] % cells[1], grid.start[2] + c / (cells[0] * cells[1])}, i / n};
}

}  // namespace

std::vector<double> serial_run(const Grid &grid, const Options &options) {
  std::vector<double> mine;
  for (int variable = 0; variable < options.variables; ++variable) {
    Whole whole(grid, options, variable);
    for (int step = 0; step < options.steps; ++step) whole.step();
    for (std::int64_t z = 0; z < grid.cells[2]; ++z)
      for (std::int64_t y = 0; y < grid.cells[1]; ++y)
        for (std::int64_t x = 0; x < grid.cells[0]; ++x) mine.push_back(whole.at(grid.start[0] + x, grid.start[1] + y, grid.start[2] + z));
  }
  return mine;
}

std::vector<double> values_of(const Fields &fields, int variables) {
  const Index &cells = fields.cells();
  std::vector<double> values(static_cast<std::size_t>(volume(cells) * variables));
  for (int variable = 0; variable < variables; ++variable)
    copy_box(fields.block(variable), packed(values.data() + volume(cells) * variable, cells), cells);
  return values;
}

std::uint64_t fingerprint(const Grid &grid, const std::vector<double> &values) {
  std::uint64_t mine = 0, all = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Name name = name_of(grid, i);
    std::uint64_t word = common::bits(values[i]) ^ (0x9E3779B97F4A7C15u * (name.variable + 1));
    for (const std::int64_t coordinate : name.cell) {
      word = (word ^ static_cast<std::uint64_t>(coordinate)) * 0xBF58476D1CE4E5B9u;
      word ^= word >> 29;
    }
    mine += word;
  }
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

common::Difference difference(const Grid &grid, const std::vector<double> &values, const std::vector<double> &right) {
  return common::compare(MPI_COMM_WORLD, values, right, [&grid](std::size_t i) {
    const auto [cell, variable] = name_of(grid, i);
    return "variable " + std::to_string(variable) + ", cell (" + std::to_string(cell[0]) + ", " + std::to_string(cell[1]) + ", " +
           std::to_string(cell[2]) + ")";
  });
}

}  // namespace ghost
