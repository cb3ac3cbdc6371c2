// The channel of slots on the network between threads, under ThreadSanitizer. tests/engine has the same between processes.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/slot_rig.hpp"
#include "threads/ranks.hpp"

namespace halocline::test {
namespace {

class SlotMessages : public testing::TestWithParam<int> {};

void with_rig(int ranks, const core::SlotForm &form, const std::function<void(SlotRig &)> &body) {
  as_ranks(ranks, [&] {
    const auto rig = open_rig(form);
    ASSERT_TRUE(everyone(rig != nullptr));
    body(*rig);
  });
}

TEST_P(SlotMessages, of_any_length_without_a_race) {
  with_rig(GetParam(), two_slots(12'000), [](SlotRig &rig) { exchange_messages(rig, 60, false); });
}
TEST_P(SlotMessages, through_more_slots_than_sources_without_a_race) {
  with_rig(GetParam(), many_slots(12'000), [](SlotRig &rig) { exchange_messages(rig, 60, false); });
}
TEST_P(SlotMessages, in_turns_without_a_race) {
  with_rig(GetParam(), in_turns(12'000), [](SlotRig &rig) { exchange_messages(rig, 60, true); });
}
TEST_P(SlotMessages, find_no_room_until_the_receiver_has_read) {
  with_rig(GetParam(), two_slots(12'000), [](SlotRig &rig) { send_to_a_rank_that_does_not_read(rig, 2); });
}
TEST_P(SlotMessages, to_a_peer_that_ends_fail) {
  as_ranks(GetParam(), [] {
    auto rig = open_rig(two_slots(12'000));
    ASSERT_TRUE(everyone(rig != nullptr));
    lose_the_last_rank(std::move(rig));
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, SlotMessages, testing::Values(2, 3),
                         [](const auto &info) { return "slots_n" + std::to_string(info.param); });

}  // namespace
}  // namespace halocline::test
