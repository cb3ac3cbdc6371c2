// The channel of slots, alone: messages of random lengths between all ranks, with random delays, ranks that do not read, and one that ends.
// Run on emulated nodes; tests/threads has the same on the network between threads.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/slot_rig.hpp"

namespace halocline::test {
namespace {

/// Each test is skipped where there is no network.
#define OPEN_RIG(form)             \
  const auto rig = open_rig(form); \
  if (!everyone(rig != nullptr)) GTEST_SKIP() << hlc_error_message()

constexpr std::int64_t kShort = 3000, kLong = std::int64_t{1} << 20;

TEST(SlotChannels, move_messages_of_any_length_through_two_slots) {
  OPEN_RIG(two_slots(kShort));
  exchange_messages(*rig, 400, false);
}

TEST(SlotChannels, move_messages_through_more_slots_than_sources) {
  OPEN_RIG(many_slots(kShort));
  exchange_messages(*rig, 400, false);
}

TEST(SlotChannels, move_messages_in_several_writes) {
  OPEN_RIG(two_slots(kLong));
  exchange_messages(*rig, 20, false);
}

TEST(SlotChannels, move_messages_in_turns_without_announcing_what_was_read) {
  OPEN_RIG(in_turns(kShort));
  exchange_messages(*rig, 400, true);
}

TEST(SlotChannels, move_long_messages_in_turns) {
  OPEN_RIG(in_turns(kLong));
  exchange_messages(*rig, 20, true);
}

TEST(SlotChannels, have_no_room_until_the_receiver_has_read) {
  if (size() == 1) GTEST_SKIP() << "needs a receiver";
  OPEN_RIG(two_slots(kShort));
  send_to_a_rank_that_does_not_read(*rig, 2);
}

TEST(SlotChannels, detect_a_peer_that_ends) {
  auto rig = open_rig(two_slots(kShort));
  if (!everyone(rig != nullptr)) GTEST_SKIP() << hlc_error_message();
  lose_the_last_rank(std::move(rig));
}

}  // namespace
}  // namespace halocline::test
