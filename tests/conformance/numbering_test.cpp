// Ranks numbered along the first dimension or the last: places, blocks, swaps in every mode, and what is refused.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <halocline/halocline.hpp>

#include "support/rig.hpp"

namespace halocline::test {
namespace {

constexpr std::int64_t kNumberedCells[] = {13, 24, 18};
constexpr int kNumberedPeriods[] = {1, 0, 1};
constexpr hlc_layout kOrders[] = {HLC_LAYOUT_UNSET, HLC_ROW_MAJOR, HLC_COLUMN_MAJOR};

/// Split along two dimensions if the number of ranks can be: otherwise all orders are one.
std::array<int, 3> two_ways() {
  int along_first = 1;
  for (int n = 2; n * n <= size(); ++n)
    if (size() % n == 0) along_first = n;
  return {along_first, 1, size() / along_first};
}

hlc_grid ordered_grid(hlc_layout order) {
  hlc_grid grid{};
  EXPECT_TRUE(ok(hlc_grid_create_ordered(context(), order, 3, kNumberedCells, two_ways().data(), kNumberedPeriods, &grid)));
  return grid;
}

/// The number of a place, found without the library.
int number_of(const hlc_grid &grid, const int *coords) {
  const int *n = grid.dims;
  if (grid.order == HLC_COLUMN_MAJOR) return coords[0] + n[0] * (coords[1] + n[1] * coords[2]);
  return coords[2] + n[2] * (coords[1] + n[1] * coords[0]);
}

TEST(Numbering, runs_along_the_dimension_that_the_order_says) {
  for (const hlc_layout order : kOrders) {
    const hlc_grid grid = ordered_grid(order);
    EXPECT_EQ(grid.order, order);
    EXPECT_EQ(number_of(grid, grid.coords), rank());
    int coords[3];
    for (coords[0] = 0; coords[0] < grid.dims[0]; ++coords[0])
      for (coords[1] = 0; coords[1] < grid.dims[1]; ++coords[1])
        for (coords[2] = 0; coords[2] < grid.dims[2]; ++coords[2]) EXPECT_EQ(hlc_grid_rank(&grid, coords), number_of(grid, coords));
  }
}

TEST(Numbering, leaves_the_blocks_where_they_are) {
  const hlc_grid plain = ordered_grid(HLC_LAYOUT_UNSET), numbered = ordered_grid(HLC_COLUMN_MAJOR);
  std::vector<hlc_grid> all(static_cast<std::size_t>(size()));
  MPI_Allgather(&plain, sizeof plain, MPI_BYTE, all.data(), sizeof plain, MPI_BYTE, MPI_COMM_WORLD);
  const hlc_grid &there = all[static_cast<std::size_t>(hlc_grid_rank(&plain, numbered.coords))];
  for (int d = 0; d < 3; ++d) {
    EXPECT_EQ(numbered.dims[d], plain.dims[d]);
    EXPECT_EQ(numbered.start[d], there.start[d]);
    EXPECT_EQ(numbered.local[d], there.local[d]);
  }
}

TEST(Numbering, is_the_same_in_Cpp) {
  const Context mine(MPI_COMM_WORLD);
  for (const std::vector<int> &ranks : {std::vector<int>{}, {two_ways()[0], two_ways()[2]}, {1, size()}}) {
    const Grid grid(mine, {6L * size(), 8L * size()}, {}, ranks, HLC_COLUMN_MAJOR);
    EXPECT_EQ(grid.raw().order, HLC_COLUMN_MAJOR);
    EXPECT_EQ(grid.coord(0) + grid.ranks(0) * grid.coord(1), rank());
  }
}

TEST(Numbering, of_a_reordered_grid_is_kept_and_no_worse) {
  for (const hlc_layout order : kOrders) {
    hlc_grid grid = ordered_grid(order);
    hlc_placement found{};
    REQUIRE_EVERYWHERE(hlc_grid_reorder(context(), nullptr, &grid, &found) == HLC_OK);
    EXPECT_EQ(grid.order, order);
    EXPECT_EQ(hlc_grid_rank(&grid, grid.coords), rank());
    EXPECT_LE(found.bytes_after, found.bytes_before);
  }
}

class NumberedSwap : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{11};

  /// With the order, and with the neighbours written by hand: every byte is the oracle's.
  void swap_both_ways(Case halo) {
    for (const bool table : {false, true}) {
      halo.explicit_table = table;
      if (table) halo.decomposition.order = HLC_LAYOUT_UNSET;
      Rig rig(halo, GetParam());
      if (!rig.ready()) return;
      rig.swap_once(1);
      rig.swap_once(2);
    }
  }
};

TEST_P(NumberedSwap, moves_what_a_table_of_the_same_neighbours_moves) {
  for (const auto &[order, ndims] : {std::pair{HLC_ROW_MAJOR, 2}, {HLC_COLUMN_MAJOR, 2}, {HLC_COLUMN_MAJOR, 3}}) {
    Case halo = plain_case("order " + std::to_string(order), decompose(size(), ndims, {2, 4}, 0b101, random_), 1, 2);
    halo.decomposition.number_ranks(order);
    swap_both_ways(halo);
  }
}

TEST_P(NumberedSwap, fills_nodes_of_which_the_ranks_above_own_one) {
  Case halo = plain_case("nodes", decompose(size(), 2, {3, 5}, 0b01, random_), 1, 2);
  halo.decomposition.number_ranks(HLC_COLUMN_MAJOR);
  halo.shapes.resize(2);
  halo.shapes[1].stagger[0] = HLC_NODES_OWNED;
  halo.shapes[1].stagger[1] = HLC_NODES_SHARED;
  swap_both_ways(halo);
}

TEST_P(NumberedSwap, may_be_in_stages) {
  Case halo = plain_case("stages", decompose(size(), 3, {2, 4}, 0b111, random_), 1, 2);
  halo.decomposition.number_ranks(HLC_COLUMN_MAJOR);
  halo.staged = true;
  Rig rig(halo, GetParam());
  if (rig.ready()) rig.swap_once(1);
}

FOR_ALL_MODES(NumberedSwap);

void expect_words(const std::vector<std::string> &words) {
  const std::string message = hlc_error_message();
  for (const std::string &word : words) EXPECT_NE(message.find(word), std::string::npos) << word << " in: " << message;
}

/// Of ranks that name their neighbours, too, the order must be one.
hlc_status plan(const hlc_grid &grid, const int *neighbours) {
  double cell = 0;
  hlc_field field{};
  field.data = &cell;
  field.type = HLC_FLOAT64;
  hlc_halo_spec spec{};
  spec.grid = &grid;
  spec.neighbours = neighbours;
  spec.layout = HLC_ROW_MAJOR;
  spec.nfields = 1;
  spec.fields = &field;
  hlc_halo *halo = nullptr;
  const hlc_status status = hlc_halo_init(context(), &spec, &halo);
  if (status == HLC_OK) {
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  }
  return status;
}

TEST(NumberingErrors, name_the_rank_and_the_order_that_is_none) {
  for (const int wrong : {-1, 3}) {
    const auto order = static_cast<hlc_layout>(wrong);
    const std::string value = "order is " + std::to_string(wrong) + " but must be HLC_ROW_MAJOR";
    const hlc_grid plain = ordered_grid(HLC_LAYOUT_UNSET);
    hlc_grid grid = plain;
    EXPECT_TRUE(
        is_status(HLC_ERR_ARGUMENT, hlc_grid_create_ordered(context(), order, 3, kNumberedCells, nullptr, kNumberedPeriods, &grid)));
    expect_words({"hlc_grid_create_ordered on rank " + std::to_string(rank()), value});
    if (rank() == size() - 1) grid.order = order;
    const int nobody[27] = {};
    const std::string last = " on rank " + std::to_string(size() - 1) + ": grid.";
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_grid_reorder(context(), nullptr, &grid, nullptr)));
    expect_words({"hlc_grid_reorder" + last + value});
    for (const int *neighbours : {static_cast<const int *>(nullptr), nobody}) {
      EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, plan(grid, neighbours)));
      expect_words({"hlc_halo_init of plan", last + value});
    }
    grid.order = order;
    EXPECT_EQ(hlc_grid_rank(&grid, grid.coords), HLC_NO_NEIGHBOUR);
  }
}

TEST(NumberingErrors, of_ranks_that_disagree_reach_all_of_them) {
  if (size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  hlc_grid grid = ordered_grid(rank() == 0 ? HLC_COLUMN_MAJOR : HLC_LAYOUT_UNSET);
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_grid_reorder(context(), nullptr, &grid, nullptr)));
  expect_words({"grid.order", "HLC_COLUMN_MAJOR", "HLC_ROW_MAJOR"});
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, plan(grid, nullptr)));
  expect_words({"grid.order", "HLC_COLUMN_MAJOR", "HLC_ROW_MAJOR"});
}

}  // namespace
}  // namespace halocline::test
