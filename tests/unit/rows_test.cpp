// hlc_for_rows over views made by hand. It visits every cell of the block once, with the right cells around it, whether they are beside the
// row or elsewhere. Also tests what it refuses.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <halocline/halocline.h>

#include <array>
#include <cstring>
#include <map>
#include <random>
#include <vector>

namespace halocline::test {
namespace {

using Index = std::array<std::int64_t, HLC_MAX_DIMS>;

/// A value that names its cell.
double value_at(const Index &cell) {
  double value = 1;
  for (const std::int64_t c : cell) value = value * 64 + static_cast<double>(c + 8);
  return value;
}

/// A block with cells around it. Every direction is in memory of its own, or all are in one array as in a halo.
struct Surroundings {
  std::vector<hlc_view> views;
  std::vector<std::vector<double>> memory;

  Surroundings(int ndims, const Index &block, const Index &depth, bool apart, int dim) {
    views.resize(static_cast<std::size_t>(HLC_DIRECTIONS(ndims)));
    Index all{};
    for (std::size_t d = 0; d < all.size(); ++d) all[d] = block[d] + 2 * depth[d];
    if (!apart) fill_new(all, below(depth), dim);
    for (int v = 0; v < HLC_DIRECTIONS(ndims); ++v) {
      Index start{}, count{1, 1, 1, 1};
      for (int d = 0, rest = v; d < ndims; ++d, rest /= 3) {
        const auto i = static_cast<std::size_t>(d);
        start[i] = rest % 3 == 0 ? -depth[i] : rest % 3 == 1 ? 0 : block[i];
        count[i] = rest % 3 == 1 ? block[i] : depth[i];
      }
      const Index strides = strides_of(apart ? count : all, dim);
      if (apart) fill_new(count, start, dim);
      hlc_view &view = views[static_cast<std::size_t>(v)];
      const double *first = memory.back().data();
      for (std::size_t d = 0; d < all.size() && !apart; ++d) first += (start[d] + depth[d]) * strides[d];
      view.data = first;
      for (std::size_t d = 0; d < all.size(); ++d) view.count[d] = count[d], view.stride_bytes[d] = strides[d] * 8;
    }
  }

 private:
  static Index below(Index depth) {
    for (std::int64_t &d : depth) d = -d;
    return depth;
  }
  /// In elements; dimension dim contiguous.
  static Index strides_of(const Index &count, int dim) {
    Index strides{};
    std::int64_t next = 1;
    strides[static_cast<std::size_t>(dim)] = next;
    next *= count[static_cast<std::size_t>(dim)];
    for (std::size_t d = 0; d < count.size(); ++d) {
      if (static_cast<int>(d) == dim) continue;
      strides[d] = next;
      next *= count[d];
    }
    return strides;
  }
  void fill_new(const Index &count, const Index &start, int dim) {
    const Index strides = strides_of(count, dim);
    memory.emplace_back(static_cast<std::size_t>(count[0] * count[1] * count[2] * count[3]), 0.0);
    Index c{};
    for (c[3] = 0; c[3] < count[3]; ++c[3])
      for (c[2] = 0; c[2] < count[2]; ++c[2])
        for (c[1] = 0; c[1] < count[1]; ++c[1])
          for (c[0] = 0; c[0] < count[0]; ++c[0]) {
            Index cell{};
            std::int64_t at = 0;
            for (std::size_t d = 0; d < c.size(); ++d) cell[d] = start[d] + c[d], at += c[d] * strides[d];
            memory.back()[static_cast<std::size_t>(at)] = value_at(cell);
          }
  }
};

/// Checks every piece.
struct Inspector {
  const hlc_rows_spec &spec;
  const Surroundings &around;
  std::map<Index, int> seen;
  int wrong = 0, pieces = 0;

  static void look(const hlc_row *row, void *user) { static_cast<Inspector *>(user)->inspect(*row); }

  void inspect(const hlc_row &row) {
    pieces += 1;
    std::int64_t rows = 1;
    for (int d = 0; d < spec.ndims; ++d)
      if (d != spec.dim) rows *= 2 * spec.reach[d] + 1;
    for (std::int64_t i = 0; i < row.count; ++i) {
      Index cell{};
      std::copy_n(row.first, HLC_MAX_DIMS, cell.begin());
      cell[static_cast<std::size_t>(spec.dim)] += i;
      seen[cell] += 1;
      for (std::int64_t k = 0; k < rows; ++k) inspect_row(row, k, i, cell);
    }
  }

  void inspect_row(const hlc_row &row, std::int64_t k, std::int64_t i, Index cell) {
    int offset_dims = 0;
    std::int64_t rest = k;
    for (int d = 0; d < spec.ndims; ++d) {
      if (d == spec.dim) continue;
      const std::int64_t width = 2 * spec.reach[d] + 1, o = rest % width - spec.reach[d];
      rest /= width;
      offset_dims += o != 0;
      cell[static_cast<std::size_t>(d)] += o;
    }
    const bool star = spec.stencil == HLC_STENCIL_STAR;
    if (star && offset_dims > 1) {
      wrong += row.cells[k] != nullptr;
      return;
    }
    const std::int64_t reach = star && offset_dims > 0 ? 0 : spec.reach[spec.dim];
    const std::int64_t along = cell[static_cast<std::size_t>(spec.dim)];
    for (std::int64_t o = -reach; o <= reach; ++o) {
      cell[static_cast<std::size_t>(spec.dim)] = along + o;
      wrong += static_cast<const double *>(row.cells[k])[i + o] != value_at(cell);
    }
  }
};

TEST(Rows, show_every_cell_once_with_the_right_ones_around_it) {
  std::mt19937_64 random(11);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (int turn = 0; turn < 400; ++turn) {
    const int ndims = static_cast<int>(draw(1, 4)), dim = static_cast<int>(draw(0, ndims - 1));
    Index block{1, 1, 1, 1}, depth{};
    hlc_rows_spec spec{};
    for (int d = 0; d < ndims; ++d) {
      const auto i = static_cast<std::size_t>(d);
      depth[i] = draw(0, ndims > 3 ? 1 : 2);
      block[i] = draw(1, d == dim ? 14 : 4);
      spec.reach[d] = draw(0, depth[i]);
    }
    const Surroundings around(ndims, block, depth, turn % 2 == 0, dim);
    spec.ndims = ndims;
    spec.dim = dim;
    spec.views = around.views.data();
    spec.element_bytes = 8;
    spec.stencil = turn % 3 == 0 ? HLC_STENCIL_STAR : HLC_STENCIL_BOX;
    Inspector inspector{spec, around, {}};
    ASSERT_EQ(hlc_for_rows(&spec, Inspector::look, &inspector), HLC_OK) << hlc_error_message();
    EXPECT_EQ(inspector.wrong, 0) << "turn " << turn;
    EXPECT_EQ(static_cast<std::int64_t>(inspector.seen.size()), block[0] * block[1] * block[2] * block[3]);
    for (const auto &[cell, times] : inspector.seen) EXPECT_EQ(times, 1);
    std::int64_t lines = 1;
    for (int d = 0; d < ndims; ++d) lines *= d == dim ? 1 : block[static_cast<std::size_t>(d)];
    if (turn % 2 == 1) {
      EXPECT_EQ(inspector.pieces, lines) << "cells that lie beside the row need no copy";
    }
  }
}

TEST(Rows, are_refused_with_what_is_wrong) {
  const Surroundings around(2, {6, 4, 1, 1}, {1, 1, 0, 0}, true, 0);
  hlc_rows_spec good{};
  good.ndims = 2;
  good.views = around.views.data();
  good.element_bytes = 8;
  good.reach[0] = good.reach[1] = 1;
  const auto nothing = [](const hlc_row *, void *) {};
  ASSERT_EQ(hlc_for_rows(&good, nothing, nullptr), HLC_OK);
  const auto refused = [&](const char *word, auto spoil) {
    hlc_rows_spec spec = good;
    spoil(spec);
    EXPECT_EQ(hlc_for_rows(&spec, nothing, nullptr), HLC_ERR_ARGUMENT);
    EXPECT_NE(std::strstr(hlc_error_message(), word), nullptr) << hlc_error_message();
  };
  EXPECT_EQ(hlc_for_rows(nullptr, nothing, nullptr), HLC_ERR_ARGUMENT);
  EXPECT_EQ(hlc_for_rows(&good, nullptr, nullptr), HLC_ERR_ARGUMENT);
  refused("ndims is 0", [](hlc_rows_spec &spec) { spec.ndims = 0; });
  refused("ndims is 5", [](hlc_rows_spec &spec) { spec.ndims = 5; });
  refused("dim is 2", [](hlc_rows_spec &spec) { spec.dim = 2; });
  refused("stride", [](hlc_rows_spec &spec) { spec.dim = 1; });
  refused("views", [](hlc_rows_spec &spec) { spec.views = nullptr; });
  refused("element_bytes", [](hlc_rows_spec &spec) { spec.element_bytes = 0; });
  refused("reach is -1", [](hlc_rows_spec &spec) { spec.reach[1] = -1; });
  refused("reach is 2", [](hlc_rows_spec &spec) { spec.reach[1] = 2; });
  refused("stencil is 7", [](hlc_rows_spec &spec) { spec.stencil = static_cast<hlc_stencil>(7); });
  std::vector<hlc_view> views = around.views;
  views[4].data = nullptr;
  refused("middle", [&](hlc_rows_spec &spec) { spec.views = views.data(); });
  views = around.views;
  views[5].data = nullptr;
  refused("above the block", [&](hlc_rows_spec &spec) { spec.views = views.data(); });
  views = around.views;
  views[3].count[0] = 0;
  refused("below the block", [&](hlc_rows_spec &spec) { spec.views = views.data(); });
  // A corner that is not known hides the row that it belongs to, and no other.
  views = around.views;
  views[8].data = nullptr;
  hlc_rows_spec spec = good;
  spec.views = views.data();
  int hidden = 0;
  const auto count = [](const hlc_row *row, void *user) {
    for (int k = 0; k < 3; ++k) *static_cast<int *>(user) += row->cells[k] == nullptr;
  };
  EXPECT_EQ(hlc_for_rows(&spec, count, &hidden), HLC_OK);
  EXPECT_EQ(hidden, 3) << "the pieces of the last row do not see the one above it";
}

}  // namespace
}  // namespace halocline::test
