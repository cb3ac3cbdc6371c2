// Partial swaps, several halos swapped at the same time, and polling, in every mode.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <thread>

#include "support/rig.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

constexpr hlc_swap one_direction(int dim, hlc_side side) {
  hlc_swap what{};
  what.one_dim = 1;
  what.dim = dim;
  what.side = side;
  return what;
}

class Swaps : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{11};

  Case three_fields(unsigned periodic) {
    Case halo = plain_case("three fields", decompose(size(), 2, {3, 5}, periodic, random_), 2, 3);
    halo.depth_high[1] = 1;
    return halo;
  }
};

TEST_P(Swaps, one_direction_fills_the_faces_of_that_side_alone) {
  for (const unsigned periodic : {0b01u, 0b11u}) {
    Rig rig(three_fields(periodic), GetParam());
    if (!rig.ready()) return;
    int step = 0;
    for (int dim = 0; dim < 2; ++dim)
      for (const hlc_side side : {HLC_SIDE_LOW, HLC_SIDE_HIGH, HLC_SIDE_BOTH}) rig.swap_once(++step, one_direction(dim, side));
  }
}

TEST_P(Swaps, a_subset_of_the_fields_leaves_the_others_alone) {
  Rig rig(three_fields(0b10), GetParam());
  if (!rig.ready()) return;
  const std::vector<std::vector<int>> subsets = {{0}, {1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}};
  int step = 0;
  for (const auto &subset : subsets) {
    hlc_swap what = one_direction(0, HLC_SIDE_HIGH);
    what.nfields = static_cast<int>(subset.size());
    what.fields = subset.data();
    rig.swap_once(++step, what);
    what = everything;
    what.nfields = static_cast<int>(subset.size());
    what.fields = subset.data();
    rig.swap_once(++step, what);
  }
}

/// On four ranks a box in four dimensions has 72 messages per rank, and a swap of one side 1 or 3 of them.
TEST_P(Swaps, of_many_messages_and_of_few_may_alternate) {
  Rig rig(plain_case("four dimensions", decompose(size(), 4, {2, 3}, 0b1111, random_), 1), GetParam());
  if (!rig.ready()) return;
  for (int step = 1; step <= 24; ++step)
    rig.swap_once(step, step % 2 ? everything : one_direction(step / 2 % 4, step % 3 ? HLC_SIDE_HIGH : HLC_SIDE_LOW));
}

TEST_P(Swaps, different_swaps_may_alternate_on_one_halo) {
  Rig rig(three_fields(0b11), GetParam());
  if (!rig.ready()) return;
  Random random(mixed(seed() ^ 17));
  Skew skew(17);
  const int fields[] = {0, 2};
  for (int step = 1; step <= 40; ++step) {
    hlc_swap what{};
    if (between(random, 0, 1)) what = one_direction(static_cast<int>(between(random, 0, 1)), static_cast<hlc_side>(between(random, 0, 2)));
    if (between(random, 0, 1)) what.nfields = 2, what.fields = fields;
    skew.delay();
    rig.swap_once(step, what);
  }
}

TEST_P(Swaps, null_asks_for_everything) {
  Rig rig(three_fields(0b01), GetParam());
  if (!rig.ready()) return;
  rig.fill(1);
  EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(rig.halo())));
  rig.expect(1);
}

TEST_P(Swaps, several_halos_may_be_in_flight_and_finish_in_another_order) {
  std::vector<std::unique_ptr<Rig>> rigs;
  for (const ModeChoice &mode : {GetParam(), all_modes[0], GetParam(), GetParam()}) {
    rigs.push_back(std::make_unique<Rig>(three_fields(0b11), mode));
    if (!rigs.back()->ready()) return;
  }
  const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}};
  int step = 0;
  for (const auto &order : orders) {
    ++step;
    for (auto &rig : rigs) rig->fill(step);
    for (auto &rig : rigs) EXPECT_TRUE(ok(hlc_halo_start(rig->halo(), nullptr)));
    for (const int i : order) EXPECT_TRUE(ok(hlc_halo_finish(rigs[static_cast<std::size_t>(i)]->halo())));
    for (auto &rig : rigs) rig->expect(step);
  }
}

TEST_P(Swaps, test_sees_the_arrival_without_waiting) {
  Rig rig(three_fields(0b11), GetParam());
  if (!rig.ready()) return;
  for (int step = 1; step <= 5; ++step) {
    rig.fill(step);
    EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
    hlc_status status = HLC_AGAIN;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(GetParam().sees_arrival() ? 20 : 0);
    do {
      status = hlc_halo_test(rig.halo());
      if (status == HLC_AGAIN) std::this_thread::yield();
    } while (status == HLC_AGAIN && std::chrono::steady_clock::now() < deadline);
    if (GetParam().sees_arrival() || size() > 1) {
      EXPECT_TRUE(is_status(GetParam().sees_arrival() ? HLC_OK : HLC_AGAIN, status));
    }
    EXPECT_TRUE(ok(hlc_halo_finish(rig.halo())));
    rig.expect(step);
  }
}

TEST_P(Swaps, two_threads_may_drive_two_halos) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI gives no MPI_THREAD_MULTIPLE";
  Rig first(three_fields(0b11), GetParam()), second(three_fields(0b01), GetParam());
  if (!first.ready() || !second.ready()) return;
  const auto drive = [](Rig &rig) {
    for (int step = 1; step <= 20; ++step) rig.swap_once(step);
  };
  std::thread other(drive, std::ref(second));
  drive(first);
  other.join();
}

FOR_ALL_MODES(Swaps);

}  // namespace
}  // namespace halocline::test
