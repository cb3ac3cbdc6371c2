// Depths, sides, stencils, decompositions and neighbour tables, in every mode.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "support/rig.hpp"

namespace halocline::test {
namespace {

class Geometry : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{7};

  void swap_twice(const Case &halo) {
    Rig rig(halo, GetParam());
    if (!rig.ready()) return;
    rig.swap_once(1);
    rig.swap_once(2);
  }
};

TEST_P(Geometry, depths_may_differ_per_dimension_and_side_and_be_zero) {
  const Index depths[][2] = {{{1, 2, 3}, {3, 2, 1}}, {{0, 1, 2}, {2, 0, 1}}, {{0, 0, 3}, {0, 0, 1}}, {{2, 0, 0}, {0, 0, 0}}, {{}, {}}};
  for (const auto &depth : depths) {
    Case halo = plain_case("unequal depths", decompose(size(), 3, {3, 5}, 0b111, random_), 1);
    halo.depth_low = depth[0];
    halo.depth_high = depth[1];
    swap_twice(halo);
  }
}

TEST_P(Geometry, every_mix_of_periodic_and_open_sides_is_right_for_star_and_box) {
  const auto swap_with = [&](int ndims, unsigned periodic, hlc_stencil stencil) {
    Case halo = plain_case("periodic mask " + std::to_string(periodic), decompose(size(), ndims, {2, 4}, periodic, random_), 1);
    halo.stencil = stencil;
    swap_twice(halo);
  };
  for (unsigned periodic = 0; periodic < 4; ++periodic)
    for (const hlc_stencil stencil : {HLC_STENCIL_BOX, HLC_STENCIL_STAR}) swap_with(2, periodic, stencil);
  for (const unsigned periodic : {0b000u, 0b101u, 0b111u}) swap_with(3, periodic, HLC_STENCIL_BOX);
  swap_with(3, 0b011, HLC_STENCIL_STAR);
}

TEST_P(Geometry, blocks_no_larger_than_the_depth_are_right) {
  swap_twice(plain_case("depth equals extent", decompose(size(), 2, {2, 2}, 0b11, random_), 2));
  swap_twice(plain_case("one cell per rank", decompose(size(), 3, {1, 1}, 0b111, random_), 1));
}

TEST_P(Geometry, very_uneven_blocks_are_right) { swap_twice(plain_case("uneven", decompose(size(), 2, {2, 17}, 0b01, random_), 2)); }

TEST_P(Geometry, the_grid_helpers_own_split_is_right) {
  const std::int64_t global[] = {13, 11, 5};
  const int periodic[] = {1, 0, 1};
  hlc_grid grid{};
  REQUIRE_EVERYWHERE(hlc_grid_create(context(), 3, global, nullptr, periodic, &grid) == HLC_OK);

  // The oracle's grids are gathered from all ranks' own results.
  std::vector<hlc_grid> grids(static_cast<std::size_t>(size()));
  MPI_Allgather(&grid, sizeof grid, MPI_BYTE, grids.data(), sizeof grid, MPI_BYTE, MPI_COMM_WORLD);
  Decomposition decomposition = decompose(size(), 3, {1, 1}, 0b101, random_);
  for (int d = 0; d < 3; ++d) {
    decomposition.dims[d] = grid.dims[d];
    decomposition.cuts[d].assign(static_cast<std::size_t>(grid.dims[d]) + 1, global[d]);
    for (const hlc_grid &other : grids) decomposition.cuts[d][static_cast<std::size_t>(other.coords[d])] = other.start[d];
  }
  swap_twice(plain_case("hlc_grid_create", decomposition, 1));
}

TEST_P(Geometry, an_explicit_table_may_place_the_ranks_in_any_order) {
  Case halo = plain_case("shuffled ranks", decompose(size(), 2, {2, 4}, 0b01, random_), 1, 2);
  auto &order = halo.decomposition.rank_of_block;
  for (int i = size() - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(between(random_, 0, i))]);
  halo.explicit_table = true;
  swap_twice(halo);
}

TEST_P(Geometry, an_explicit_table_may_leave_out_neighbours) {
  Case halo = plain_case("rank 0 cut off from the last rank", decompose(size(), 2, {2, 4}, 0b11, random_), 1);
  halo.explicit_table = true;
  halo.cut = [last = size() - 1](int from, int to) { return std::min(from, to) == 0 && std::max(from, to) == last; };
  swap_twice(halo);
}

FOR_ALL_MODES(Geometry);

}  // namespace
}  // namespace halocline::test
