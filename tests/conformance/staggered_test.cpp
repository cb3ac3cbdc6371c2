// Fields in cells and on nodes in one plan, with depths of their own, and swaps of less depth than the plan's. Grids, fields and swaps are
// random, in every mode. The oracle looks each value up in the global grid of cells or nodes. Each rank writes its own value into a node that
// two share.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include <halocline/halocline.hpp>

#include "support/any_swap.hpp"
#include "support/rig.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

/// HALOCLINE_STAGGERED_CASES, or as many as the ranks do in a few seconds.
int cases() {
  const char *asked = std::getenv("HALOCLINE_STAGGERED_CASES");
  return asked ? std::max(1, std::atoi(asked)) : size() > 2 ? 2 : 4;
}

hlc_plan_info info_of(const Rig &rig) {
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_halo_info(rig.halo(), &info)));
  return info;
}

hlc_swap deep(std::int64_t depth) {
  hlc_swap what{};
  what.depth = depth;
  return what;
}

/// Height in cells, velocities on the faces that they cross, and a field on the corners: once as shared nodes, once as owned ones.
Case c_grid(hlc_stagger nodes, unsigned periodic, Random &random) {
  Case halo = plain_case("C grid", decompose(size(), 2, {3, 5}, periodic, random), 2, 4);
  halo.shapes.resize(4);
  halo.shapes[1].stagger[0] = halo.shapes[2].stagger[1] = halo.shapes[3].stagger[0] = halo.shapes[3].stagger[1] = nodes;
  return halo;
}

class Staggered : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{mixed(seed() ^ 61)};
};

class StaggeredViews : public Staggered {};

TEST_P(Staggered, fields_of_any_case_are_swapped_in_any_part) {
  for (int i = 0; i < cases(); ++i)
    for (const Memory memory : {Memory::shared, Memory::differs_by_rank}) {
      Rig rig(staggered_case(size(), random_), GetParam(), memory);
      if (!rig.ready()) return;
      for (int step = 1; step <= 5; ++step) rig.swap_once(step, step == 1 ? everything : AnySwap(rig.shape(), random_, false).what());
    }
}

TEST_P(Staggered, swaps_of_any_case_may_be_in_reverse) {
  for (int i = 0; i < cases(); ++i) {
    Rig rig(staggered_case(size(), random_, summable_kinds()), GetParam());
    if (!rig.ready()) return;
    for (int step = 1; step <= 6; ++step) rig.swap_once(step, AnySwap(rig.shape(), random_, true).what());
  }
}

TEST_P(Staggered, a_table_of_neighbours_says_the_same_as_the_grid) {
  for (int i = 0; i < (cases() + 1) / 2; ++i) {
    Case halo = staggered_case(size(), random_);
    halo.explicit_table = true;
    Rig rig(halo, GetParam());
    if (!rig.ready()) return;
    for (int step = 1; step <= 3; ++step) rig.swap_once(step, AnySwap(halo, random_, false).what());
  }
}

TEST_P(Staggered, other_arrays_take_the_place_of_the_planned_ones) {
  for (int i = 0; i < (cases() + 1) / 2; ++i) {
    Rig rig(staggered_case(size(), random_, summable_kinds()), GetParam(),
            between(random_, 0, 1) ? Memory::shared : Memory::differs_by_arena, 2);
    if (!rig.ready()) return;
    for (int step = 1; step <= 8; ++step) {
      rig.choose(static_cast<int>(between(random_, 0, 1)));
      rig.swap_once(step, AnySwap(rig.shape(), random_, true).what());
    }
  }
}

TEST_P(Staggered, nodes_at_the_ends_of_the_grid_are_left_to_the_program) {
  for (const hlc_stagger nodes : {HLC_NODES_SHARED, HLC_NODES_OWNED})
    for (const unsigned periodic : {0b00u, 0b01u, 0b11u}) {
      Rig rig(c_grid(nodes, periodic, random_), GetParam());
      if (!rig.ready()) return;
      for (int step = 1; step <= 4; ++step) rig.swap_once(step, deep(step % 3));
    }
}

TEST_P(Staggered, halos_of_nodes_alone_have_no_depth_but_the_node) {
  Case halo = plain_case("nodes alone", decompose(size(), 2, {1, 3}, 0b01, random_), 0, 2);
  halo.shapes.resize(2);
  for (hlc_field_shape &shape : halo.shapes) shape.stagger[0] = shape.stagger[1] = HLC_NODES_OWNED;
  Rig rig(halo, GetParam());
  if (!rig.ready()) return;
  for (int step = 1; step <= 3; ++step) rig.swap_once(step, deep(step - 1));
}

TEST_P(Staggered, depths_differ_from_swap_to_swap) {
  for (const hlc_stencil stencil : {HLC_STENCIL_BOX, HLC_STENCIL_STAR}) {
    Case halo = plain_case("three deep", decompose(size(), 3, {3, 4}, 0b101, random_), 3, 2);
    halo.stencil = stencil;
    halo.depth_high[1] = 1;
    Rig rig(halo, GetParam());
    if (!rig.ready()) return;
    for (int step = 1; step <= 12; ++step) rig.swap_once(step, deep(between(random_, 0, 5)));
  }
}

TEST_P(StaggeredViews, show_as_many_cells_as_were_swapped) {
  for (int i = 0; i < cases(); ++i) {
    Rig rig(staggered_case(size(), random_), GetParam(), i % 2 ? Memory::differs_by_rank : Memory::shared);
    if (!rig.ready()) return;
    for (int step = 1; step <= 4; ++step) {
      const AnySwap some(rig.shape(), random_, false);
      rig.fill(step);
      ASSERT_TRUE(ok(rig.start(some.what())));
      ASSERT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
      Image expected = before(rig.shape(), rank(), step);
      const Image found = rig.seen(some.what());
      deliver(rig.shape(), rank(), step, some.what(), expected);
      EXPECT_EQ(found, expected) << "step " << step;
      EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
    }
  }
}

TEST_P(Staggered, fields_of_four_kinds_take_one_message_per_neighbour) {
  const Case halo = c_grid(HLC_NODES_OWNED, 0b11, random_);
  Case cells = halo;
  cells.shapes.clear();
  Rig rig(halo, GetParam()), other(cells, GetParam());
  if (!rig.ready() || !other.ready()) return;
  EXPECT_EQ(info_of(rig).neighbours, info_of(other).neighbours);
  EXPECT_EQ(info_of(rig).self_copies, info_of(other).self_copies);
  std::int64_t from_others = 0, from_myself = 0;
  for (int f = 0; f < halo.nfields; ++f) {
    const Values values(halo, rank(), f);
    values.for_each([&](const Index &cell) {
      if (values.in_halo(cell)) (values.owner_of(cell)->rank == rank() ? from_myself : from_others) += 8;
    });
  }
  for (const std::int64_t depth : {0, 1}) {
    rig.swap_once(1, deep(depth));
    EXPECT_EQ(info_of(rig).bytes_in, from_others);
    EXPECT_EQ(info_of(rig).self_bytes, from_myself) << "after a swap of depth " << depth;
  }
}

/// Mode auto tries each kind of swap by itself, and ranks agree on what they do.
TEST_P(Staggered, many_swaps_of_two_depths_take_turns_under_skew) {
  Rig rig(c_grid(HLC_NODES_SHARED, 0b01, random_), GetParam());
  if (!rig.ready()) return;
  Skew skew(61);
  const int some[] = {1, 2};
  for (int step = 1; step <= (GetParam().mode == HLC_MODE_AUTO ? 150 : 40); ++step) {
    hlc_swap what = deep(step % 3);
    if (step % 4 == 0) what.nfields = 2, what.fields = some;
    skew.delay();
    rig.swap_once(step, what);
  }
}

FOR_ALL_MODES(Staggered);

/// All modes over MPI copy in the same manner: p2p stands for them.
std::vector<ModeChoice> modes_with_views() {
  std::vector<ModeChoice> modes;
  for (const ModeChoice &choice : modes_here())
    if (choice.is_own() || choice.mode == HLC_MODE_P2P) modes.push_back(choice);
  return modes;
}

INSTANTIATE_TEST_SUITE_P(Modes, StaggeredViews, testing::ValuesIn(modes_with_views()), mode_name);

/// A spec of the C API, with swaps of other fields: the fields have the spec's cells.
TEST(StaggeredInCxx, a_halo_of_a_spec_takes_other_arrays_of_the_same_shape) {
  const Context own(MPI_COMM_WORLD);
  const Grid grid(own, {4 * size(), 4}, {1, 1});
  const std::int64_t cells[] = {grid.local(0) + 4, grid.local(1) + 5};
  std::vector<double> first(static_cast<std::size_t>(cells[0] * cells[1]), -1.0), second = first;
  hlc_field field{};
  field.data = first.data();
  field.type = HLC_FLOAT64;
  hlc_field_shape shape{};
  shape.stagger[1] = HLC_NODES_SHARED;
  hlc_halo_spec spec{};
  spec.grid = &grid.raw();
  spec.depth_low[0] = spec.depth_high[0] = spec.depth_low[1] = spec.depth_high[1] = 2;
  spec.layout = HLC_ROW_MAJOR;
  spec.nfields = 1;
  spec.fields = &field;
  spec.shapes = &shape;
  spec.rebind = 1;
  spec.mode = HLC_MODE_P2P;
  Halo halo(own, spec);
  const auto at = [&](std::vector<double> &u, std::int64_t i, std::int64_t j) -> double & {
    return u[static_cast<std::size_t>((i + 2) * cells[1] + j + 2)];
  };
  for (std::int64_t i = 0; i < grid.local(0); ++i)
    for (std::int64_t j = 0; j <= grid.local(1); ++j)
      at(second, i, j) = 100.0 * static_cast<double>(grid.start(0) + i) + static_cast<double>(j % 4);
  Swap what{};
  what.depth = 1;
  halo.start_with(what, second);
  halo.finish();
  const auto above = static_cast<double>((grid.start(0) + grid.local(0)) % (4 * size()));
  EXPECT_EQ(at(second, grid.local(0), 2), 100.0 * above + 2);
  EXPECT_EQ(at(second, 0, 5), 100.0 * static_cast<double>(grid.start(0)) + 1);
  EXPECT_EQ(at(second, 0, 6), -1.0) << "the swap was 1 deep";
  EXPECT_EQ(at(second, 0, -1), 100.0 * static_cast<double>(grid.start(0)) + 3);
  EXPECT_EQ(first, std::vector<double>(first.size(), -1.0));
  halo.finalise();
}

/// A value that tells the place of a cell or node in the grid; along the first dimension, which is periodic, places are counted around it.
double value_at(const Grid &grid, std::int64_t i, std::int64_t j) {
  return 1.0 + 1000.0 * static_cast<double>((i + grid.global(0)) % grid.global(0)) + static_cast<double>(j);
}

/// Calls visit(i, j, value) for each value of a field, halo included.
template <class Visit>
void for_each_value(Field<double, 2> &field, Visit visit) {
  const auto end = [&](int d) { return field.extent(d) - field.depth().low[d]; };
  for (std::int64_t i = -field.depth().low[0]; i < end(0); ++i)
    for (std::int64_t j = -field.depth().low[1]; j < end(1); ++j) visit(i, j, field(i, j));
}

TEST(StaggeredInCxx, fields_on_nodes_and_of_other_depths_make_one_halo) {
  const Context own(MPI_COMM_WORLD);
  const Grid grid(own, {4 * size(), 6}, {1, 0});
  Field<double, 2> h(own, grid, 1), u(own, grid, 2, {Stagger::nodes_shared, Stagger::centred}),
      v(own, grid, Depth<2>{{1, 2}, {0, 1}}, {Stagger::centred, Stagger::nodes_owned}),
      q(own, grid, 1, {Stagger::nodes_owned, Stagger::nodes_owned});
  EXPECT_EQ(v.extent(1), grid.local(1) + 4);
  Halo halo(own, grid, {{h, "h"}, {u, "u"}, {v, "v"}, {q, "q"}});
  for (int step = 0; step < 2; ++step) {
    for (Field<double, 2> *field : {&h, &u, &v, &q})
      for_each_value(*field, [&](std::int64_t i, std::int64_t j, double &value) {
        // At the upper end of the open dimension, an owned node is the block's too.
        const auto in_block = [&](std::int64_t k, int d) {
          const Stagger stagger = field->stagger()[static_cast<std::size_t>(d)];
          const bool ends_grid = d == 1 && grid.start(1) + grid.local(1) == grid.global(1);
          const bool has_last = stagger == Stagger::nodes_shared || (stagger == Stagger::nodes_owned && ends_grid);
          return k >= 0 && k < grid.local(d) + (has_last ? 1 : 0);
        };
        value = in_block(i, 0) && in_block(j, 1) ? step + value_at(grid, grid.start(0) + i, grid.start(1) + j) : -1.0;
      });
    halo.swap();
    for (Field<double, 2> *field : {&h, &u, &v, &q})
      for_each_value(*field, [&](std::int64_t i, std::int64_t j, double &value) {
        const std::int64_t place = grid.start(1) + j, nodes = field->stagger()[1] == Stagger::centred ? 0 : 1;
        const bool in_grid = place >= 0 && place < grid.global(1) + nodes;
        EXPECT_EQ(value, in_grid ? step + value_at(grid, grid.start(0) + i, place) : -1.0) << "field "
                                                                                           << (field == &h   ? "h"
                                                                                               : field == &u ? "u"
                                                                                               : field == &v ? "v"
                                                                                                             : "q")
                                                                                           << ", " << i << ", " << j;
      });
  }
  halo.finalise();
}

}  // namespace
}  // namespace halocline::test
