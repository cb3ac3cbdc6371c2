// See block.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "soak/block.hpp"

#include <algorithm>

#include "support/elements.hpp"

namespace halocline::test {
namespace {

constexpr std::uint64_t empty = 0xDBDBDBDBDBDBDBDB;

/// The value of a global cell. Products of odd numbers make the values of neighbouring cells, fields and steps distinct.
std::uint64_t value(std::uint64_t step_and_field, std::int64_t x, std::int64_t y) {
  return step_and_field + static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(y) * 0xBF58476D1CE4E5B9u;
}

std::uint64_t step_and_field(int step, int f) { return mixed(static_cast<std::uint64_t>(step) << 8 | static_cast<std::uint64_t>(f)); }

std::int64_t wrapped(std::int64_t cell, std::int64_t cells) { return (cell % cells + cells) % cells; }

/// -1, 0 or 1: on which side of the interior an index of the array is.
int side_of(std::int64_t index, std::int64_t low, std::int64_t local) { return index < low ? -1 : index >= low + local ? 1 : 0; }

}  // namespace

void Block::create() {
  const std::int64_t global[2] = {5 * size() + 1, 4 * size() + 3};
  const int periodic[2] = {1, 0};
  ASSERT_TRUE(ok(hlc_grid_create(context(), 2, global, nullptr, periodic, &grid_)));
  const auto bytes = static_cast<std::size_t>(nfields * cells(0) * cells(1)) * sizeof(std::uint64_t);
  void *memory = nullptr;
  ASSERT_TRUE(ok(hlc_field_alloc(context(), bytes, &memory)));
  data_ = static_cast<std::uint64_t *>(memory);

  hlc_field fields[nfields] = {};
  for (int f = 0; f < nfields; ++f) {
    fields[f].data = field(f);
    fields[f].type = HLC_INT64;
  }
  hlc_halo_spec spec{};
  spec.grid = &grid_;
  std::fill_n(spec.depth_low, 2, low);
  std::fill_n(spec.depth_high, 2, high);
  spec.layout = HLC_COLUMN_MAJOR;
  spec.nfields = nfields;
  spec.fields = fields;
  spec.mode = mode_.mode;
  spec.epoch = mode_.epoch;
  spec.drive = mode_.drive;
  ASSERT_TRUE(ok(hlc_halo_init(context(), &spec, &halo_))) << mode_.name;
}

void Block::destroy() {
  ASSERT_TRUE(ok(hlc_halo_finalise(&halo_))) << mode_.name;
  void *memory = data_;
  ASSERT_TRUE(ok(hlc_field_free(context(), &memory)));
  data_ = nullptr;
}

void Block::fill(int step) {
  std::fill_n(data_, nfields * cells(0) * cells(1), empty);
  for (int f = 0; f < nfields; ++f) {
    const std::uint64_t key = step_and_field(step, f);
    for (std::int64_t y = 0; y < grid_.local[1]; ++y)
      for (std::int64_t x = 0; x < grid_.local[0]; ++x)
        field(f)[(low + y) * cells(0) + low + x] = value(key, grid_.start[0] + x, grid_.start[1] + y);
  }
}

bool Block::asked_for(const hlc_swap &what, int f, int side0, int side1) const {
  if (what.nfields > 0 && std::find(what.fields, what.fields + what.nfields, f) == what.fields + what.nfields) return false;
  if (!what.one_dim) return true;
  const int across = what.dim == 0 ? side0 : side1, along = what.dim == 0 ? side1 : side0;
  if (across == 0 || along != 0) return false;
  return what.side == HLC_SIDE_BOTH || across == (what.side == HLC_SIDE_LOW ? -1 : 1);
}

/// Whether a global cell is beyond an open side.
bool Block::open(int d, std::int64_t cell) const { return !grid_.periodic[d] && (cell < 0 || cell >= grid_.global[d]); }

int Block::wrong_cells(int step, const hlc_swap &what) const {
  int wrong = 0;
  for (int f = 0; f < nfields; ++f) {
    const std::uint64_t key = step_and_field(step, f);
    for (std::int64_t j = 0; j < cells(1); ++j)
      for (std::int64_t i = 0; i < cells(0); ++i) {
        const std::int64_t x = grid_.start[0] + i - low, y = grid_.start[1] + j - low;
        const int side0 = side_of(i, low, grid_.local[0]), side1 = side_of(j, low, grid_.local[1]);
        const bool interior = side0 == 0 && side1 == 0;
        const bool written = interior || (asked_for(what, f, side0, side1) && !open(0, x) && !open(1, y));
        const std::uint64_t expected = written ? value(key, wrapped(x, grid_.global[0]), wrapped(y, grid_.global[1])) : empty;
        wrong += field(f)[j * cells(0) + i] != expected;
      }
  }
  return wrong;
}

}  // namespace halocline::test
