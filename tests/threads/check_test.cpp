// Check mode's messages with threads as ranks. The ranks disagree on a swap, and all that learn of it abandon the swap. Contexts are closed
// right after, while messages may still be in transit.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdlib>
#include <thread>

#include "support/modes.hpp"
#include "support/rig.hpp"
#include "support/skew.hpp"
#include "threads/ranks.hpp"

namespace halocline::test {
namespace {

class ThreadsThatCheck : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { setenv("HALOCLINE_CHECK", "1", 1); }
  void TearDown() override { unsetenv("HALOCLINE_CHECK"); }
};

/// Ranks side by side: each has two neighbours, which may be one.
Case row_of_ranks() {
  Random random(mixed(seed() ^ 5));
  return plain_case("row", decompose(size(), 1, {2, 4}, 0b1, random), 1, 2);
}

/// Rank 0 swaps one field, all others swap both. Ranks that are not its neighbours may complete the swap before the failure reaches them,
/// unless the mode waits for all ranks.
void disagree(const ModeChoice &mode) {
  Rig rig(row_of_ranks(), mode);
  if (!rig.ready()) return;
  Skew skew(6);
  rig.swap_once(1);
  if (rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));  // so long all others agree
  const int one_field[] = {0};
  hlc_swap what{};
  if (rank() == 0) what.nfields = 1, what.fields = one_field;
  EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), &what)));
  skew.delay();
  const hlc_status status = hlc_halo_finish(rig.halo());
  const bool next_to_it = rank() <= 1 || rank() == size() - 1;
  EXPECT_TRUE(is_status(HLC_ERR_RULE, status) || (!next_to_it && mode.sees_arrival() && status == HLC_OK));
}

TEST_P(ThreadsThatCheck, end_a_swap_on_which_they_disagree_and_leave_no_letter_on_its_way) {
  for (const ModeChoice &mode : all_modes)
    if (mode.mode == HLC_MODE_P2P || (mode.mode == HLC_MODE_FENCE && mode.epoch == HLC_EPOCH_EARLY))
      as_ranks(GetParam(), [&] { disagree(mode); });
}

TEST_P(ThreadsThatCheck, swap_halos_without_a_race) {
  for (const ModeChoice &mode : all_modes)
    if (mode.mode == HLC_MODE_P2P || mode.mode == HLC_MODE_DIRECT)
      as_ranks(GetParam(), [&] {
        Rig rig(row_of_ranks(), mode);
        for (int step = 1; rig.ready() && step <= 5; ++step) rig.swap_once(step);
      });
}

INSTANTIATE_TEST_SUITE_P(Ranks, ThreadsThatCheck, testing::Values(3, 5),
                         [](const auto &info) { return "checked_n" + std::to_string(info.param); });

}  // namespace
}  // namespace halocline::test
