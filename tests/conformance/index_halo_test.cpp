// Index halos in every mode against the serial oracle. The random lists have repeated entries, empty neighbours, and ranks named several
// times and by themselves. There are subsets, reverse swaps with sums that depend on their order, views, and two halos swapped at the same
// time.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include "support/index_rig.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

/// Fewer steps for more ranks, which may share cores.
int fewer(int steps) { return size() > 2 ? (steps + 1) / 2 : steps; }

class IndexHalo : public testing::TestWithParam<ModeChoice> {};

TEST_P(IndexHalo, random_lists_bring_every_ghost_its_owners_value_under_random_skew) {
  Random random(mixed(seed() ^ 31));
  Skew skew(31);
  for (const Memory memory : {Memory::shared, Memory::differs_by_rank, Memory::own}) {
    IndexRig rig(random_index_case(size(), all_kinds(), random), GetParam(), memory);
    if (!rig.ready()) return;
    for (int step = 1; step <= fewer(5); ++step) {
      skew.delay();
      rig.start(step);
      skew.delay();
      rig.finish(step);
    }
  }
}

TEST_P(IndexHalo, reverse_swaps_add_in_the_same_order_in_every_run_and_mode) {
  Random random(mixed(seed() ^ 32));
  Skew skew(32);
  for (int trial = 0; trial < fewer(2); ++trial) {
    IndexRig rig(random_index_case(size(), summable_kinds(), random), GetParam());
    if (!rig.ready()) return;
    for (int step = 1; step <= 4; ++step) {
      skew.delay();
      rig.start(step, true);
      skew.delay();
      rig.finish(step, true);
    }
  }
}

TEST_P(IndexHalo, subsets_of_fields_and_both_directions_in_turn) {
  Random random(mixed(seed() ^ 33));
  IndexRig rig(random_index_case(size(), summable_kinds(), random), GetParam());
  if (!rig.ready()) return;
  for (int step = 1; step <= fewer(12); ++step) {
    std::vector<int> fields;
    for (const int f : rig.all_fields())
      if (between(random, 0, 2) == 0) fields.push_back(f);
    const bool reverse = between(random, 0, 1) == 1;
    rig.start(step, reverse, fields);
    rig.finish(step, reverse, fields);
  }
}

TEST_P(IndexHalo, one_field_after_another_of_the_same_size_and_of_another) {
  Random random(mixed(seed() ^ 36));
  const std::vector<Kind> kinds{float64, float64, float64, float64};  // of some components each
  IndexRig rig(random_index_case(size(), kinds, random), GetParam());
  if (!rig.ready()) return;
  int step = 0;
  for (const bool reverse : {false, true, false})
    for (const std::vector<int> &fields : std::vector<std::vector<int>>{{0}, {1}, {2}, {3}, {0, 1}, {1, 3}, {1, 2}}) {
      rig.start(++step, reverse, fields);
      rig.finish(step, reverse, fields);
    }
}

TEST_P(IndexHalo, two_halos_in_flight_do_not_mix) {
  Random random(mixed(seed() ^ 34));
  IndexRig first(random_index_case(size(), all_kinds(), random), GetParam());
  IndexRig second(random_index_case(size(), all_kinds(), random), GetParam());
  if (!first.ready() || !second.ready()) return;
  for (int step = 1; step <= 4; ++step) {
    first.start(step);
    second.start(100 + step);
    second.finish(100 + step);
    first.finish(step);
  }
}

TEST_P(IndexHalo, views_show_every_value_and_mode_view_leaves_the_ghosts_alone) {
  Random random(mixed(seed() ^ 35));
  for (const Memory memory : {Memory::shared, Memory::differs_by_rank}) {
    IndexRig rig(random_index_case(size(), all_kinds(), random), GetParam(), memory);
    if (!rig.ready()) return;
    for (int step = 1; step <= 4; ++step) {
      rig.start(step);
      EXPECT_TRUE(ok(hlc_index_halo_finish_views(rig.halo())));
      hlc_plan_info info{};  // in mode auto, of this swap
      EXPECT_TRUE(ok(hlc_index_halo_info(rig.halo(), &info)));
      const bool copies = info.mode != HLC_MODE_VIEW || std::getenv("HALOCLINE_CHECK");
      for (std::size_t n = 0; n < rig.links().size(); ++n)
        for (const int f : rig.all_fields()) rig.expect_view(n, f, step);
      rig.expect(copies ? index_after(rig.lists(), rank(), step, false, rig.all_fields()) : index_before(rig.lists(), rank(), step, false),
                 step);
      EXPECT_TRUE(ok(hlc_index_halo_release(rig.halo())));
    }
  }
}

TEST_P(IndexHalo, views_of_a_rank_that_ends_the_plan_at_once_keep_no_neighbour_waiting) {
  Random random(mixed(seed() ^ 36));
  for (const bool releases : {false, true}) {
    IndexRig rig(random_index_case(size(), all_kinds(), random), GetParam());
    if (!rig.ready()) return;
    rig.start(1);
    if (rank() % 2 == 1 && !releases) {
      rig.finish(1);
      continue;
    }
    EXPECT_TRUE(ok(hlc_index_halo_finish_views(rig.halo())));
    if (rank() % 2 == 1) {
      EXPECT_TRUE(ok(hlc_index_halo_release(rig.halo())));
    }
  }
}

/// A ring in which every rank has one own entry and one of each neighbour. With 2 ranks both neighbours are the other rank, with 1 the rank
/// itself.
TEST_P(IndexHalo, the_plan_names_its_routes_and_tags_tell_sides_apart) {
  IndexCase ring;
  ring.fields = {{float64, 1}};
  for (int r = 0; r < size(); ++r) {
    const int below = (r + size() - 1) % size(), above = (r + 1) % size();
    ring.entries.push_back(4);
    ring.links.push_back({{below, 1, 2, 2 * below, false, {1}, {0}}, {above, 2, 1, 2 * r, true, {2}, {3}}});
    ring.layouts.push_back({{0, 8, 8, 32}});
  }
  for (int r = 0; r < size(); ++r) ring.links[static_cast<std::size_t>(r)][0].number = 2 * ((r + size() - 1) % size());
  IndexRig rig(ring, GetParam());
  if (!rig.ready()) return;
  for (int step = 1; step <= 3; ++step) rig.start(step), rig.finish(step);
  hlc_plan_info info{};
  hlc_context_info_t here{};
  EXPECT_TRUE(ok(hlc_index_halo_info(rig.halo(), &info)));
  EXPECT_TRUE(ok(hlc_context_info(context(), &here)));
  EXPECT_EQ(info.neighbours, size() == 1 ? 0 : 2);
  EXPECT_EQ(info.self_copies, size() == 1 ? 2 : 0);
  EXPECT_EQ(info.via_direct + info.via_notify + info.via_network + info.via_mpi, info.neighbours);
  if (GetParam().reads_directly() && here.node_size == size()) {
    EXPECT_EQ(info.via_direct, info.neighbours);
  }
}

FOR_ALL_MODES(IndexHalo);

}  // namespace
}  // namespace halocline::test
