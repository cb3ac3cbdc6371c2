// Grids whose ranks were reordered. They cover the cells and swap the right values in every mode. The bytes reported as crossing nodes are
// those that a count of halo cells finds.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>
#include <halocline/halocline.hpp>

#include "support/modes.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {
namespace {

using Cell = std::array<std::int64_t, 3>;

constexpr std::int64_t kGlobal[] = {13, 24, 18};
constexpr int kPeriodic[] = {1, 0, 1};
constexpr std::int64_t kLow = 1, kHigh = 2;

hlc_swap_shape shape_of(hlc_stencil stencil) {
  hlc_swap_shape shape{};
  std::fill_n(shape.depth_low, 3, kLow);
  std::fill_n(shape.depth_high, 3, kHigh);
  shape.stencil = stencil;
  shape.cell_bytes = 8;
  return shape;
}

hlc_grid plain_grid() {
  hlc_grid grid{};
  EXPECT_TRUE(ok(hlc_grid_create(context(), 3, kGlobal, nullptr, kPeriodic, &grid)));
  return grid;
}

template <class T>
std::vector<T> gather(const T &mine) {
  std::vector<T> all(static_cast<std::size_t>(size()));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

std::vector<int> gather_nodes() {
  hlc_context_info_t info{};
  EXPECT_TRUE(ok(hlc_context_info(context(), &info)));
  return gather(info.node);
}

/// Calls visit for every halo cell of a block that a swap with this stencil fills, with its place in the whole grid.
template <class Visit>
void for_each_halo_cell(const hlc_grid &grid, hlc_stencil stencil, Visit visit) {
  Cell c{};
  for (c[0] = -kLow; c[0] < grid.local[0] + kHigh; ++c[0])
    for (c[1] = -kLow; c[1] < grid.local[1] + kHigh; ++c[1])
      for (c[2] = -kLow; c[2] < grid.local[2] + kHigh; ++c[2]) {
        int outside = 0;
        bool beyond = false;
        Cell global{};
        for (std::size_t d = 0; d < 3; ++d) {
          outside += c[d] < 0 || c[d] >= grid.local[d];
          global[d] = grid.start[d] + c[d];
          beyond = beyond || (!kPeriodic[d] && (global[d] < 0 || global[d] >= kGlobal[d]));
          global[d] = (global[d] + kGlobal[d]) % kGlobal[d];
        }
        if (outside > 0 && !beyond && (outside == 1 || stencil == HLC_STENCIL_BOX)) visit(c, global);
      }
}

int owner_of(const std::vector<hlc_grid> &blocks, const Cell &global) {
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    bool inside = true;
    for (std::size_t d = 0; d < 3; ++d)
      inside = inside && global[d] >= blocks[rank].start[d] && global[d] < blocks[rank].start[d] + blocks[rank].local[d];
    if (inside) return static_cast<int>(rank);
  }
  return -1;
}

/// Bytes of halo cells of all ranks: those owned by another rank, and those owned on another node.
std::array<std::int64_t, 2> count_bytes(const hlc_grid &mine, hlc_stencil stencil) {
  const std::vector<hlc_grid> blocks = gather(mine);
  const std::vector<int> node_of = gather_nodes();
  std::array<std::int64_t, 2> bytes{};
  for_each_halo_cell(mine, stencil, [&](const Cell &, const Cell &global) {
    const int owner = owner_of(blocks, global);
    EXPECT_GE(owner, 0) << "a cell of the grid belongs to nobody";
    if (owner < 0 || owner == rank()) return;
    bytes[0] += 8;
    if (node_of[static_cast<std::size_t>(owner)] != node_of[static_cast<std::size_t>(rank())]) bytes[1] += 8;
  });
  MPI_Allreduce(MPI_IN_PLACE, bytes.data(), 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return bytes;
}

double code_of(const Cell &global) { return static_cast<double>(1 + (global[0] * kGlobal[1] + global[1]) * kGlobal[2] + global[2]); }

TEST(Reorder, reports_the_bytes_that_a_count_of_halo_cells_finds) {
  for (const hlc_stencil stencil : {HLC_STENCIL_BOX, HLC_STENCIL_STAR}) {
    const hlc_grid before = plain_grid();
    const hlc_swap_shape shape = shape_of(stencil);
    hlc_grid after = before;
    hlc_placement found{};
    REQUIRE_EVERYWHERE(hlc_grid_reorder(context(), &shape, &after, &found) == HLC_OK);
    const auto counted_before = count_bytes(before, stencil), counted_after = count_bytes(after, stencil);
    EXPECT_EQ(found.bytes_before, counted_before[1]);
    EXPECT_EQ(found.bytes_after, counted_after[1]);
    EXPECT_EQ(found.bytes, counted_before[0]);
    EXPECT_EQ(found.bytes, counted_after[0]);
    EXPECT_LE(found.bytes_after, found.bytes_before);
  }
}

TEST(Reorder, leaves_every_rank_one_place_that_it_finds_by_its_coordinates) {
  hlc_grid grid = plain_grid();
  REQUIRE_EVERYWHERE(hlc_grid_reorder(context(), nullptr, &grid, nullptr) == HLC_OK);
  const std::vector<hlc_grid> grids = gather(grid);
  std::int64_t cells = 0;
  for (int r = 0; r < size(); ++r) {
    const hlc_grid &theirs = grids[static_cast<std::size_t>(r)];
    EXPECT_EQ(hlc_grid_rank(&grid, theirs.coords), r);
    cells += theirs.local[0] * theirs.local[1] * theirs.local[2];
  }
  EXPECT_EQ(cells, kGlobal[0] * kGlobal[1] * kGlobal[2]);
}

TEST(Reorder, changes_nothing_on_one_node) {
  hlc_context_info_t info{};
  EXPECT_TRUE(ok(hlc_context_info(context(), &info)));
  if (info.nodes > 1) GTEST_SKIP() << "the ranks stand on several nodes";
  const hlc_grid before = plain_grid();
  hlc_grid after = before;
  hlc_placement found{};
  REQUIRE_EVERYWHERE(hlc_grid_reorder(context(), nullptr, &after, &found) == HLC_OK);
  EXPECT_EQ(std::memcmp(&before, &after, sizeof before), 0);
  EXPECT_EQ(found.bytes_before, 0);
  EXPECT_EQ(found.node_dims[0] * found.node_dims[1] * found.node_dims[2], 1);
}

TEST(Reorder, keeps_the_expensive_faces_inside_nodes) {
  hlc_context_info_t info{};
  EXPECT_TRUE(ok(hlc_context_info(context(), &info)));
  if (info.nodes != 2 || size() != 4) GTEST_SKIP() << "drawn for 4 ranks on 2 nodes";
  // In MPI_Cart_create's order a node holds a row, and the faces between rows are 40 cells; between columns they are 4.
  const Context mine(MPI_COMM_WORLD);
  Grid grid(mine, {8, 80}, {}, {2, 2});
  hlc_swap_shape shape{};
  shape.stencil = HLC_STENCIL_STAR;
  const hlc_placement found = grid.reorder(mine, shape);
  EXPECT_EQ(found.bytes_before, 2 * 2 * 40 * 8);
  EXPECT_EQ(found.bytes_after, 2 * 2 * 4 * 8);
  EXPECT_EQ(found.node_dims[0], 1);
  EXPECT_EQ(found.node_dims[1], 2);
  EXPECT_EQ(found.nodes, 2);
  EXPECT_EQ(grid.coord(0), rank() % 2);
  EXPECT_EQ(grid.coord(1), rank() / 2);
  // Reordered once more: the result is the same, and bytes_before still refers to MPI_Cart_create's order.
  const hlc_placement again = grid.reorder(mine, shape);
  EXPECT_EQ(again.bytes_before, found.bytes_before);
  EXPECT_EQ(again.bytes_after, found.bytes_after);
}

class ReorderedSwap : public testing::TestWithParam<ModeChoice> {};

TEST_P(ReorderedSwap, fills_every_halo_cell_with_the_owners_value) {
  hlc_grid grid = plain_grid();
  const hlc_swap_shape shape = shape_of(HLC_STENCIL_BOX);
  REQUIRE_EVERYWHERE(hlc_grid_reorder(context(), &shape, &grid, nullptr) == HLC_OK);
  const std::int64_t side[] = {kLow + grid.local[0] + kHigh, kLow + grid.local[1] + kHigh, kLow + grid.local[2] + kHigh};
  const auto count = static_cast<std::size_t>(side[0] * side[1] * side[2]);
  void *memory = nullptr;
  REQUIRE_EVERYWHERE(hlc_field_alloc(context(), count * sizeof(double), &memory) == HLC_OK);
  auto *values = static_cast<double *>(memory);
  const auto at = [&](const Cell &c) -> double & { return values[((c[0] + kLow) * side[1] + c[1] + kLow) * side[2] + c[2] + kLow]; };
  std::fill_n(values, count, -1.0);
  Cell c{};
  for (c[0] = 0; c[0] < grid.local[0]; ++c[0])
    for (c[1] = 0; c[1] < grid.local[1]; ++c[1])
      for (c[2] = 0; c[2] < grid.local[2]; ++c[2]) at(c) = code_of({grid.start[0] + c[0], grid.start[1] + c[1], grid.start[2] + c[2]});

  hlc_field field{};
  field.data = memory;
  field.type = HLC_FLOAT64;
  hlc_halo_spec spec{};
  spec.grid = &grid;
  std::copy_n(shape.depth_low, 3, spec.depth_low);
  std::copy_n(shape.depth_high, 3, spec.depth_high);
  spec.layout = HLC_ROW_MAJOR;
  spec.nfields = 1;
  spec.fields = &field;
  spec.mode = GetParam().mode;
  spec.epoch = GetParam().epoch;
  spec.drive = GetParam().drive;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &spec, &halo) == HLC_OK);
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  std::int64_t wrong = 0;
  for_each_halo_cell(grid, HLC_STENCIL_BOX, [&](const Cell &cell, const Cell &global) { wrong += at(cell) != code_of(global); });
  EXPECT_EQ(wrong, 0) << "halo cells hold another value than their owner's";
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  EXPECT_TRUE(ok(hlc_field_free(context(), &memory)));
}

FOR_ALL_MODES(ReorderedSwap);

TEST(ReorderErrors, of_one_rank_are_errors_of_all_and_leave_the_grid_as_it_was) {
  const hlc_grid before = plain_grid();
  hlc_grid grid = before;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_grid_reorder(context(), nullptr, rank() == size() - 1 ? nullptr : &grid, nullptr)));
  hlc_swap_shape shape = shape_of(HLC_STENCIL_BOX);
  if (rank() == 0) shape.depth_low[1] = 1000;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_grid_reorder(context(), &shape, &grid, nullptr)));
  EXPECT_NE(std::string(hlc_error_message()).find("depth_low[1] is 1000"), std::string::npos) << hlc_error_message();
  hlc_grid uneven = before;
  uneven.local[0] += 1;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_grid_reorder(context(), nullptr, &uneven, nullptr)));
  if (size() > 1) {
    shape = shape_of(HLC_STENCIL_BOX);
    if (rank() == size() - 1) shape.cell_bytes = 16;
    EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_grid_reorder(context(), &shape, &grid, nullptr)));
    EXPECT_NE(std::string(hlc_error_message()).find("cell_bytes"), std::string::npos) << hlc_error_message();
  }
  EXPECT_EQ(std::memcmp(&before, &grid, sizeof before), 0);
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_grid_reorder(nullptr, nullptr, &grid, nullptr)));
}

TEST(ReorderErrors, a_plan_refuses_an_order_that_reorder_cannot_have_left) {
  double cell = 0;
  hlc_field field{};
  field.data = &cell;
  field.type = HLC_FLOAT64;
  for (const auto spoil : {+[](hlc_grid &g) { g.tile[0] = g.dims[0] + 1; }, +[](hlc_grid &g) { g.tile[1] = 1; },
                           +[](hlc_grid &g) { g.tile[0] = g.tile[1] = g.tile[2] = -1; }, +[](hlc_grid &g) { g.dealt = -1; }}) {
    hlc_grid grid = plain_grid();
    spoil(grid);
    hlc_halo_spec spec{};
    spec.grid = &grid;
    spec.layout = HLC_ROW_MAJOR;
    spec.nfields = 1;
    spec.fields = &field;
    hlc_halo *halo = nullptr;
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), &spec, &halo)));
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_grid_reorder(context(), nullptr, &grid, nullptr)));
  }
}

}  // namespace
}  // namespace halocline::test
