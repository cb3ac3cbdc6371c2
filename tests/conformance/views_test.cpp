// Views. In each mode they show what a swap would have delivered, and in mode view nothing else has been written. Neighbours may read this
// rank's data until they release their views, under any skew. Rows over views show each cell of the block once, with the right cells around
// it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <cstring>

#include <halocline/halocline.hpp>

#include "support/rig.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

class ViewModes : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{7};

  /// One swap of a case, read through views: as delivered, and in mode view without a byte written.
  void see(Rig &rig, int step, const hlc_swap &what) {
    rig.fill(step);
    const Image filled = rig.read();
    ASSERT_TRUE(ok(hlc_halo_start(rig.halo(), &what)));
    ASSERT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
    if (GetParam().mode == HLC_MODE_VIEW && !std::getenv("HALOCLINE_CHECK")) {
      EXPECT_EQ(rig.read(), filled) << "mode view wrote into the fields";
    }
    Image expected = before(rig.shape(), rank(), step);
    const Image found = rig.seen(what);
    deliver(rig.shape(), rank(), step, what, expected);
    EXPECT_EQ(found, expected) << "case " << rig.shape().name << ", step " << step;
    EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
  }
};

TEST_P(ViewModes, show_what_a_swap_delivers_of_any_fields_in_any_layout) {
  for (int i = 0; i < 12; ++i)
    for (const Memory memory : {Memory::shared, Memory::differs_by_rank}) {
      Rig rig(random_case(size(), random_), GetParam(), memory);
      if (!rig.ready()) return;
      for (int step = 1; step <= 3; ++step) see(rig, step, everything);
    }
}

TEST_P(ViewModes, show_the_part_that_was_swapped) {
  Rig rig(plain_case("parts", decompose(size(), 3, {2, 4}, 0b101, random_), 2, 3), GetParam());
  if (!rig.ready()) return;
  const int fields[] = {0, 2};
  hlc_swap what{};
  what.nfields = 2;
  what.fields = fields;
  see(rig, 1, what);
  what.one_dim = 1;
  for (what.dim = 0; what.dim < 3; ++what.dim)
    for (const hlc_side side : {HLC_SIDE_LOW, HLC_SIDE_HIGH, HLC_SIDE_BOTH}) {
      what.side = side;
      see(rig, 2 + what.dim, what);
    }
  see(rig, 5, everything);
}

TEST_P(ViewModes, of_mixed_types_are_aligned_to_their_elements) {
  Case halo = plain_case("mixed", decompose(size(), 2, {3, 5}, 0b11, random_), 1);
  halo.field_shapes = contiguous({{HLC_OPAQUE, 3}, {HLC_FLOAT64, 8}, {HLC_INT32, 4}, {HLC_COMPLEX128, 16}, {HLC_FLOAT32, 4}});
  halo.nfields = 5;
  Rig rig(halo, GetParam(), Memory::own);
  if (!rig.ready()) return;
  rig.fill(1);
  ASSERT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
  ASSERT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
  hlc_view views[HLC_DIRECTIONS(2)];
  for (int f : {1, 2, 4}) {
    ASSERT_TRUE(ok(hlc_halo_views(rig.halo(), f, views)));
    for (const hlc_view &view : views)
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data) % (f == 1 ? 8 : 4), 0U) << "field " << f << " of rank " << view.rank;
  }
  EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
}

/// Two fields in turn: only the next start releases the views, and what they show is overwritten after the next finish.
TEST_P(ViewModes, are_right_under_skew_for_two_fields_in_turn) {
  Rig rig(plain_case("turns", decompose(size(), 2, {2, 4}, 0b11, random_), 1, 2), GetParam());
  if (!rig.ready()) return;
  Skew skew(8);
  const auto shapes = rig.shape().field_shapes(rig.shape(), rank());
  Image memory = before(rig.shape(), rank(), 0);
  for (int step = 1; step <= (size() > 4 ? 100 : 200); ++step) {
    const int field = step % 2;
    hlc_swap what{};
    what.nfields = 1;
    what.fields = &field;
    const Image next = before(rig.shape(), rank(), step);
    memory[static_cast<std::size_t>(shapes[static_cast<std::size_t>(field)].arena)] =
        next[static_cast<std::size_t>(shapes[static_cast<std::size_t>(field)].arena)];
    const auto arena = static_cast<std::size_t>(shapes[static_cast<std::size_t>(field)].arena);
    rig.write_arena(arena, memory[arena]);
    skew.delay();
    ASSERT_TRUE(ok(hlc_halo_start(rig.halo(), &what)));
    skew.delay();
    ASSERT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
    skew.delay();
    const Image found = rig.seen(what, memory);
    Image expected = memory;
    Image whole = next;
    deliver(rig.shape(), rank(), step, what, whole);
    expected[arena] = whole[arena];
    EXPECT_TRUE(HasFailure() || found == expected) << "step " << step;
  }
  EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
}

TEST_P(ViewModes, may_be_out_when_a_swap_is_finished_with_copies_or_in_reverse) {
  Rig rig(plain_case("mixed swaps", decompose(size(), 2, {2, 4}, 0b11, random_), 1), GetParam());
  if (!rig.ready()) return;
  Skew skew(9);
  for (int step = 1; step <= 30; step += 3) {
    see(rig, step, everything);
    rig.fill(step + 1);
    EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
    skew.delay();
    hlc_swap back{};
    back.reverse = 1;
    if (GetParam().mode == HLC_MODE_VIEW && !std::getenv("HALOCLINE_CHECK")) {
      EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_start(rig.halo(), &back)));
    }
    EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
    rig.fill(step + 1, back);
    EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), &back)));
    EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
    rig.expect(step + 1, back);
    rig.swap_once(step + 2);
  }
}

TEST_P(ViewModes, left_out_at_the_end_keep_nobody) {
  Rig rig(plain_case("end", decompose(size(), 2, {2, 4}, 0b01, random_), 1), GetParam());
  if (!rig.ready()) return;
  rig.fill(1);
  EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
}

/// Even ranks read through views and end the plan at once. The others finish with copies, or release views of their own, which waits until the
/// even ranks read no more.
TEST_P(ViewModes, of_a_rank_that_ends_the_plan_at_once_keep_no_neighbour_waiting) {
  for (const bool releases : {false, true}) {
    Rig rig(plain_case("ends", decompose(size(), 2, {3, 5}, 0b11, random_), 1, 2), GetParam());
    if (!rig.ready()) return;
    rig.fill(1);
    ASSERT_TRUE(ok(rig.start()));
    const bool even = rank() % 2 == 0;
    EXPECT_TRUE(ok(even || releases ? hlc_halo_finish_views(rig.halo()) : hlc_halo_finish(rig.halo())));
    if (!even && releases) {
      EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
    }
    if (!even && !releases) rig.expect(1);
  }
}

TEST_P(ViewModes, are_refused_at_the_wrong_time_and_of_the_wrong_field) {
  if (std::getenv("HALOCLINE_CHECK")) GTEST_SKIP() << "check mode reports each call at the wrong time";
  Rig rig(plain_case("states", decompose(size(), 2, {2, 4}, 0b11, random_), 1), GetParam());
  if (!rig.ready()) return;
  hlc_view views[HLC_DIRECTIONS(2)];
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_finish_views(rig.halo())));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_views(rig.halo(), 1, views)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_views(rig.halo(), -1, views)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_views(rig.halo(), 0, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_views(nullptr, 0, views)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_finish_views(nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_release(nullptr)));
  EXPECT_TRUE(ok(hlc_halo_release(rig.halo()))) << "no views are out";
  rig.fill(1);
  ASSERT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_views(rig.halo(), 0, views)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_release(rig.halo())));
  EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_finish_views(rig.halo())));
}

/// All modes over MPI copy in the same manner: one of them stands for all.
std::vector<ModeChoice> modes_with_views() {
  std::vector<ModeChoice> modes;
  for (const ModeChoice &choice : modes_here())
    if (choice.is_own() || choice.mode == HLC_MODE_P2P) modes.push_back(choice);
  return modes;
}

INSTANTIATE_TEST_SUITE_P(Modes, ViewModes, testing::ValuesIn(modes_with_views()), mode_name);

/// The stencil of a solver, through rows over views, against the same through the halo that mode p2p fills: bit by bit.
TEST(Rows, over_views_give_a_stencil_the_same_bits_as_a_halo_does) {
  Random random{10};
  for (int turn = 0; turn < 6; ++turn) {
    const int ndims = 1 + turn % 3;
    const Case halo = plain_case("rows", decompose(size(), ndims, {2, 5}, turn < 3 ? 0b111U : 0b010U, random), 1 + turn % 2);
    std::vector<std::vector<double>> sums;
    for (const ModeChoice &mode : {ModeChoice{"p2p", HLC_MODE_P2P}, ModeChoice{"view", HLC_MODE_VIEW}}) {
      Rig rig(halo, mode);
      if (!rig.ready()) return;
      rig.fill(turn);
      ASSERT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
      ASSERT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
      hlc_view views[HLC_DIRECTIONS(3)];
      ASSERT_TRUE(ok(hlc_halo_views(rig.halo(), 0, views)));
      hlc_rows_spec spec{};
      spec.ndims = ndims;
      spec.views = views;
      spec.element_bytes = sizeof(double);
      std::fill_n(spec.reach, ndims, halo.depth_low[0]);
      struct Sums {
        std::vector<double> values;
        std::int64_t rows, reach;
      } mine{{}, 1, halo.depth_low[0]};
      for (int d = 1; d < ndims; ++d) mine.rows *= 2 * mine.reach + 1;
      const auto body = [](const hlc_row *row, void *user) {
        auto &to = *static_cast<Sums *>(user);
        for (std::int64_t i = 0; i < row->count; ++i) {
          double sum = 0;
          for (std::int64_t k = 0; k < to.rows; ++k)
            for (std::int64_t o = -to.reach; o <= to.reach; ++o)
              sum += static_cast<const double *>(row->cells[k])[i + o] * static_cast<double>(1 + o + 7 * k);
          to.values.push_back(sum);
        }
      };
      EXPECT_TRUE(ok(hlc_for_rows(&spec, body, &mine)));
      sums.push_back(mine.values);
      EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
    }
    ASSERT_EQ(sums[0].size(), sums[1].size());
    EXPECT_EQ(std::memcmp(sums[0].data(), sums[1].data(), sums[0].size() * sizeof(double)), 0) << "turn " << turn;
  }
}

/// Two planes in turn, through the C++ header: one halo with both, so that no release is needed.
std::vector<double> heat(const Context &context, Mode mode, int steps) {
  const Grid grid(context, {4 * size() + 1, 9}, {1, 1});
  Field<double, 2> planes[2] = {{context, grid, 1}, {context, grid, 1}};
  for (int i = 0; i < grid.local(0); ++i)
    for (int j = 0; j < grid.local(1); ++j) planes[0](i, j) = static_cast<double>((grid.start(0) + i) * 17 % 23) + 0.1 * j;
  Halo halo(context, grid, {planes[0], planes[1]}, {Stencil::star, mode});
  for (int step = 0; step < steps; ++step) {
    const int now = step % 2;
    Swap what{};
    what.nfields = 1;
    what.fields = &now;
    halo.start(what);
    halo.finish_views();
    const Views<double, 2> views(halo, now);
    Field<double, 2> &next = planes[1 - now];
    for_rows(views, {1, Stencil::star}, [&](const Row<double> &row) {
      for (std::int64_t j = 0; j < row.count(); ++j)
        next(row.first(0), row.first(1) + j) = row[1][j] + 0.1 * (row[0][j] + row[2][j] + row[1][j - 1] + row[1][j + 1] - 4 * row[1][j]);
    });
  }
  halo.release();
  std::vector<double> cells;
  for (int i = 0; i < grid.local(0); ++i)
    for (int j = 0; j < grid.local(1); ++j) cells.push_back(planes[steps % 2](i, j));
  return cells;
}

TEST(CxxViews, of_a_heat_equation_give_the_same_bits_in_every_mode) {
  const Context context(MPI_COMM_WORLD);
  const std::vector<double> expected = heat(context, Mode::p2p, 50);
  for (const Mode mode : {Mode::view, Mode::direct, Mode::notify}) EXPECT_EQ(heat(context, mode, 50), expected) << mode_name(mode);
  const Grid grid(context, {4 * size(), 5}, {1, 0});
  Field<double, 2> plane(context, grid, 1);
  for (int i = -1; i <= grid.local(0); ++i)
    for (int j = -1; j <= grid.local(1); ++j) plane(i, j) = 100.0 * static_cast<double>(grid.start(0) + i) + j;
  Halo halo(context, grid, {plane}, {Stencil::box, Mode::view});
  halo.start();
  halo.finish_views();
  const Views<double, 2> views(halo, 0);
  const std::int64_t above = grid.coord(0) + 1 == grid.ranks(0) ? 0 : grid.start(0) + grid.local(0);
  EXPECT_EQ(views({1, 0})(grid.local(0), 3), 100.0 * static_cast<double>(above) + 3);
  EXPECT_EQ(views({0, 0})(1, 2), plane(1, 2));
  EXPECT_EQ(views({0, 1})(1, 5), plane(1, 5)) << "beyond an open side lie the halo cells as they were left";
  EXPECT_EQ(views({0, 1}).rank(), HLC_NO_NEIGHBOUR);
  halo.release();
}

}  // namespace
}  // namespace halocline::test
