// Staged swaps, one dimension after the other, in every mode: the same cells as without stages, with two messages per dimension.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <utility>

#include "support/rig.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

class Stages : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{52};

  Case staged(std::string name, int ndims, unsigned periodic, std::int64_t depth, int nfields = 1) {
    Case halo = plain_case(std::move(name), decompose(size(), ndims, {3, 5}, periodic, random_), depth, nfields);
    halo.staged = true;
    return halo;
  }

  static void expect_tested(const Rig &rig) {
    const hlc_status tested = hlc_halo_test(rig.halo());
    EXPECT_TRUE(tested == HLC_OK || tested == HLC_AGAIN);
  }

  void swap_twice(const Case &halo) {
    Rig rig(halo, GetParam());
    if (!rig.ready()) return;
    for (int step = 1; step <= 2; ++step) rig.swap_once(step);
  }
};

/// The number of sides of a rank's block that face another rank.
int sides_to_others(const Case &halo) {
  const hlc_grid grid = halo.decomposition.grid_of(rank());
  int sides = 0;
  for (int d = 0; d < grid.ndims; ++d)
    if (grid.dims[d] > 1) sides += (grid.periodic[d] || grid.coords[d] > 0) + (grid.periodic[d] || grid.coords[d] < grid.dims[d] - 1);
  return sides;
}

TEST_P(Stages, fill_what_one_swap_fills_edges_and_corners_included) {
  for (const int ndims : {2, 3})
    for (const unsigned periodic : {0b000u, 0b001u, 0b010u, 0b111u})
      for (const std::int64_t depth : {1, 3}) {
        if (size() > 3 && (depth == 1 || periodic == 0b000 || periodic == 0b010)) continue;  // more ranks than cores
        Case halo = staged(std::to_string(ndims) + " dimensions, depth " + std::to_string(depth), ndims, periodic, depth);
        halo.depth_low[1] = 2;
        swap_twice(halo);
      }
}

TEST_P(Stages, send_two_messages_per_dimension) {
  const Case halo = staged("messages", 3, 0b111, 1, 2);
  Rig rig(halo, GetParam());
  if (!rig.ready()) return;
  hlc_plan_info info{};
  ASSERT_TRUE(ok(hlc_halo_info(rig.halo(), &info)));
  EXPECT_EQ(info.neighbours, sides_to_others(halo));
}

TEST_P(Stages, fill_halos_of_any_case) {
  Random random(mixed(seed() ^ 52));
  for (int trial = 0; trial < (size() > 3 ? 1 : 5); ++trial)
    for (const Memory memory : {Memory::shared, Memory::differs_by_rank}) {
      Case halo = random_case(size(), random);
      if (halo.explicit_table || !halo.fills.empty()) continue;
      halo.staged = true;
      Rig rig(halo, GetParam(), memory);
      if (!rig.ready()) return;
      for (int step = 1; step <= 3; ++step) rig.swap_once(step);
    }
}

TEST_P(Stages, leave_the_corners_of_a_star_alone) {
  Case halo = staged("star", 3, 0b011, 2);
  halo.stencil = HLC_STENCIL_STAR;
  swap_twice(halo);
}

TEST_P(Stages, of_some_fields_leave_the_others_alone) {
  Rig rig(staged("fields", 2, 0b01, 2, 3), GetParam());
  if (!rig.ready()) return;
  int step = 0;
  for (const std::vector<int> &some : std::vector<std::vector<int>>{{1}, {0, 2}, {0, 1, 2}}) {
    hlc_swap what{};
    what.nfields = static_cast<int>(some.size());
    what.fields = some.data();
    rig.swap_once(++step, what);
  }
}

TEST_P(Stages, in_reverse_add_what_one_swap_adds) {
  for (const unsigned periodic : {0b001u, 0b111u}) {
    Case halo = staged("reverse", 3, periodic, 2);
    halo.nfields = static_cast<int>(summable_kinds().size());
    halo.field_shapes = contiguous(summable_kinds());
    Rig rig(halo, GetParam());
    if (!rig.ready()) return;
    hlc_swap what{};
    what.reverse = 1;
    for (int step = 1; step <= 3; ++step) {
      rig.swap_once(step, what);
      rig.swap_once(step);
    }
  }
}

TEST_P(Stages, of_two_arrays_in_turn_are_right_under_skew) {
  Rig rig(staged("turns", 3, 0b101, 1, 2), GetParam(), Memory::shared, 2);
  if (!rig.ready()) return;
  Skew skew(21);
  for (int step = 1; step <= (size() > 3 ? 12 : 40); ++step) {
    rig.choose(step % 2);
    rig.fill(step);
    skew.delay();
    ASSERT_TRUE(ok(rig.start()));
    skew.delay();
    expect_tested(rig);
    ASSERT_TRUE(ok(hlc_halo_finish(rig.halo())));
    rig.expect(step);
  }
}

/// The only difference between the ranks is which of two outstanding swaps they complete first. One that tests waits for no other.
TEST_P(Stages, never_wait_in_a_test_for_a_rank_that_finishes_another_swap) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks";
  Rig other(staged("other", 2, 0b11, 1), {"fence", HLC_MODE_FENCE, HLC_EPOCH_EARLY});
  // A stage without neighbours is over at once, and a test starts the one that has them.
  Case halo = staged("tested", 2, 0b11, 1);
  if (halo.decomposition.dims[1] == 1) {
    std::swap(halo.decomposition.dims[0], halo.decomposition.dims[1]);
    std::swap(halo.decomposition.cuts[0], halo.decomposition.cuts[1]);
  }
  Rig rig(halo, GetParam());
  if (!other.ready() || !rig.ready()) return;
  for (int step = 1; step <= 3; ++step) {
    for (Rig *one : {&other, &rig}) {
      one->fill(step);
      ASSERT_TRUE(ok(one->start()));
    }
    const bool tests = rank() == step % size();
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (tests && std::chrono::steady_clock::now() < end) expect_tested(rig);
    for (Rig *one : {&other, &rig}) {
      ASSERT_TRUE(ok(hlc_halo_finish(one->halo())));
      one->expect(step);
    }
  }
}

/// Except where a mode cannot see what has arrived, or may wait in the start of a stage.
TEST_P(Stages, are_gone_through_by_tests_alone) {
  const bool late = GetParam().mode == HLC_MODE_PSCW && GetParam().epoch == HLC_EPOCH_LATE;
  const bool blind = GetParam().mode == HLC_MODE_FENCE || GetParam().mode == HLC_MODE_PASSIVE_NAIVE || late;
  Case halo = staged("tests", 3, 0b011, 1, 2);
  halo.depth_low[2] = 2;
  Rig rig(halo, GetParam());
  if (blind) GTEST_SKIP() << "the mode cannot see what has arrived, or may wait in the start of a stage";
  if (!rig.ready()) return;
  for (int step = 1; step <= 3; ++step) {
    rig.fill(step);
    ASSERT_TRUE(ok(rig.start()));
    hlc_status tested = HLC_AGAIN;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (tested == HLC_AGAIN && std::chrono::steady_clock::now() < end) tested = hlc_halo_test(rig.halo());
    EXPECT_TRUE(ok(tested));
    ASSERT_TRUE(ok(hlc_halo_finish(rig.halo())));
    rig.expect(step);
  }
}

TEST_P(Stages, show_the_halo_as_views) {
  Rig rig(staged("views", 2, 0b11, 1), GetParam());
  if (!rig.ready()) return;
  rig.fill(1);
  ASSERT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
  ASSERT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
  rig.expect(1);
  EXPECT_TRUE(rig.seen(everything) == rig.read());
  EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
}

TEST_P(Stages, refuse_one_dimension_alone) {
  Rig rig(staged("one dimension", 2, 0b11, 1), GetParam());
  if (!rig.ready()) return;
  hlc_swap what{};
  what.one_dim = 1;
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_halo_start(rig.halo(), &what)));
  rig.swap_once(1);
}

FOR_ALL_MODES(Stages);

}  // namespace
}  // namespace halocline::test
