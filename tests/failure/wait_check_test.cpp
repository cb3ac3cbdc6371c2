// A wait that the program ends by its own check. Run with HALOCLINE_TIMEOUT=0: nothing else ends it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "support/links.hpp"
#include "support/plane.hpp"
#include "support/rig.hpp"

namespace halocline::test {
namespace {

constexpr int kLooks = 3;
std::atomic<int> looks{0};

int stop_after_some_looks() { return ++looks >= kLooks; }
int never_stop() {
  ++looks;
  return 0;
}

class WaitCheck : public testing::Test {
 protected:
  void SetUp() override {
    looks = 0;
    const hlc_segment_spec spec{.bytes = 8, .notifications = 1, .shared = 0};
    ASSERT_EQ(hlc_segment_create(context(), &spec, &segment_), HLC_OK);
  }
  void TearDown() override {
    hlc_set_wait_check(nullptr);
    EXPECT_EQ(hlc_segment_free(&segment_), HLC_OK);
  }
  hlc_segment *segment_ = nullptr;
};

TEST_F(WaitCheck, ends_a_wait_for_a_notification_that_no_rank_sets) {
  hlc_set_wait_check(stop_after_some_looks);
  int id = -1;
  EXPECT_EQ(hlc_notify_wait(segment_, {0, 1}, &id), HLC_ERR_TIMEOUT);
  EXPECT_EQ(looks, kLooks);
}

TEST_F(WaitCheck, leaves_a_wait_alone_that_it_does_not_end) {
  hlc_set_wait_check(never_stop);
  const int right = (rank() + 1) % size();
  if (rank() == 0) {
    EXPECT_EQ(hlc_notify(segment_, right, {0, 7}), HLC_OK);
  }
  int id = -1;
  std::uint32_t value = 0;
  EXPECT_EQ(hlc_notify_wait(segment_, {0, 1}, &id), HLC_OK);
  EXPECT_EQ(hlc_notify_reset(segment_, id, &value), HLC_OK);
  EXPECT_EQ(value, 7u);
  if (rank() != 0) {
    EXPECT_EQ(hlc_notify(segment_, right, {0, 7}), HLC_OK);
  }
  EXPECT_EQ(hlc_barrier(segment_), HLC_OK);
}

TEST_F(WaitCheck, ends_a_wait_for_a_rank_that_does_not_swap) {
  if (size() < 2) GTEST_SKIP() << "needs a rank that waits and one that is late";
  const hlc_neighbour other{1 - rank(), 0, 0, 8, 8};
  hlc_exchange_spec spec{};
  spec.nneighbours = rank() < 2 ? 1 : 0;
  spec.neighbours = &other;
  spec.pack = [](int, void *, void *) {};
  spec.unpack = [](int, const void *, void *) {};
  hlc_exchange *exchange = nullptr;
  ASSERT_EQ(hlc_exchange_create(context(), &spec, &exchange), HLC_OK);
  if (rank() == 0) {
    hlc_set_wait_check(stop_after_some_looks);
    EXPECT_EQ(hlc_exchange_start(exchange), HLC_OK);
    EXPECT_EQ(hlc_exchange_finish(exchange), HLC_ERR_TIMEOUT);
    hlc_set_wait_check(nullptr);
  }
  EXPECT_EQ(hlc_exchange_destroy(&exchange), HLC_OK);
}

/// Modes whose waits the library can end: fence, and late epochs of pscw, wait inside MPI.
class Interrupted : public testing::TestWithParam<hlc_mode> {};

/// Rank 0 ends the plan in place of its first swap, or of a later one. Rank 1 still swaps.
TEST_P(Interrupted, swap_and_the_end_of_its_plan_do_not_wait_for_each_other) {
  if (size() != 2) GTEST_SKIP() << "needs a rank that ends the plan and one that swaps";
  // Each takes three seconds. Mode auto agrees on a mode in the course of its swaps.
  for (const int swaps : GetParam() == HLC_MODE_AUTO ? std::vector<int>{0, 40} : std::vector<int>{1}) {
    Random random{8};
    Rig rig(plain_case("row", decompose(size(), 1, {4, 4}, 0b1, random), 2), {hlc_mode_name(GetParam()), GetParam()});
    if (!rig.ready()) return;
    for (int step = 1; step <= swaps; ++step) rig.swap_once(step);
    if (rank() == 0) continue;  // the end of the plan is the rig's
    hlc_status status = HLC_OK;
    for (int round = 0; round < 4 && status == HLC_OK; ++round) {
      status = hlc_halo_start(rig.halo(), nullptr);
      if (status == HLC_OK) status = hlc_halo_finish(rig.halo());
    }
    EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, status));
    EXPECT_NE(std::string(hlc_error_message()).find("waits for rank 0"), std::string::npos) << hlc_error_message();
    EXPECT_NE(std::string(hlc_error_message()).find("ends the plan (in hlc_halo_finalise of plan "), std::string::npos)
        << hlc_error_message();
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Interrupted,
                         testing::Values(HLC_MODE_AUTO, HLC_MODE_P2P, HLC_MODE_NEIGHBOR, HLC_MODE_PSCW, HLC_MODE_PASSIVE, HLC_MODE_NOTIFY,
                                         HLC_MODE_DIRECT, HLC_MODE_NOTIFY_NODE, HLC_MODE_VIEW),
                         [](const auto &at) { return std::string(hlc_mode_name(at.param)); });

/// Of three ranks in a row the first has made all its swaps and ends the plan, while the last is late for its last one. The one between waits, in
/// these modes for all its neighbours at once, or it cannot tell for which.
class EndOfPlan : public testing::TestWithParam<hlc_mode> {
 protected:
  static void swap(const hlc_swap &what) {
    if (size() != 3) GTEST_SKIP() << "needs a rank that has finished, one that waits, and one that is late";
    Random random{8};
    Rig rig(plain_case("row", decompose(size(), 1, {4, 4}, 0, random), 2), {hlc_mode_name(GetParam()), GetParam()});
    if (!rig.ready()) return;
    for (int step = 1; step <= 3; ++step) {
      if (rank() == 2 && step == 3) std::this_thread::sleep_for(std::chrono::milliseconds(3900));
      rig.swap_once(step, what);
    }
  }
};

TEST_P(EndOfPlan, does_not_fail_a_swap_that_waits_for_a_late_rank) { swap(everything); }

TEST_P(EndOfPlan, does_not_fail_a_swap_whose_late_rank_only_receives) {
  hlc_swap what{};
  what.one_dim = 1;
  what.side = HLC_SIDE_LOW;
  swap(what);
}

INSTANTIATE_TEST_SUITE_P(Modes, EndOfPlan,
                         testing::Values(HLC_MODE_P2P, HLC_MODE_NEIGHBOR, HLC_MODE_PSCW, HLC_MODE_PASSIVE, HLC_MODE_DIRECT),
                         [](const auto &at) { return std::string(hlc_mode_name(at.param)); });

}  // namespace
}  // namespace halocline::test
