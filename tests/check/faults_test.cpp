// Messages that an MPI library delivers stale, torn or in the wrong place, made on purpose (faults.cpp). The stamp shows which fault it is,
// and the neighbour's descriptor which cell is wrong. The next swap is right again. Run on two ranks with HALOCLINE_CHECK=1.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "check/faults.hpp"
#include "check/basin.hpp"

namespace halocline::test {
namespace {

/// What can be damaged between the library and MPI. The other modes pack or copy by themselves, or hand MPI one collective.
constexpr ModeChoice damageable[] = {all_modes[0], all_modes[2], all_modes[3], all_modes[5], all_modes[6], all_modes[7], all_modes[8]};

class Faults : public testing::TestWithParam<ModeChoice> {
 protected:
  /// Swaps in which rank 0 sends correctly, then with the fault in one swap, then correctly again.
  void break_one_swap(Fault fault, const std::vector<std::string> &words) {
    if (size() != 2) GTEST_SKIP() << "two ranks are two neighbours of each other: two messages each way";
    Basin basin(GetParam());
    if (!basin.ready()) return;
    for (int step = 1; step <= 4; ++step) basin.swap(step);
    basin.fill(5);
    if (rank() == 0) set_fault(fault);
    EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
    set_fault(Fault::none);
    const hlc_status status = hlc_halo_finish(basin.halo());
    if (rank() == 0) {
      EXPECT_TRUE(ok(status));
    } else {
      basin.expect_rule(status, {"rank 1", "('u', 'v')", "swap 5", "the message from rank 0"});
      EXPECT_TRUE(message_names(words));
    }
    for (int step = 6; step <= 8; ++step) basin.swap(step);
  }
};

TEST_P(Faults, a_stale_message_is_told_by_its_swap) { break_one_swap(Fault::stale, {"is stale", "sent in swap"}); }
TEST_P(Faults, a_torn_message_is_told_by_its_sum) { break_one_swap(Fault::torn, {"is torn"}); }
TEST_P(Faults, a_misplaced_message_is_told_by_its_edge) {
  if (GetParam().mode == HLC_MODE_P2P) GTEST_SKIP() << "p2p sends one message to each rank, so that none can take another's place";
  break_one_swap(Fault::misplaced, {"is misplaced", "rank 0 sent it for edge"});
}

INSTANTIATE_TEST_SUITE_P(Modes, Faults, testing::ValuesIn(damageable), mode_name);

}  // namespace
}  // namespace halocline::test
