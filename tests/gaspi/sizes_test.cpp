// Empty calls: transfers of size 0, waits for no notification, resets without a place for the old value. And loops over ids whose type is
// as wide as their number needs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gaspi_test.hpp"

namespace halocline::test {
namespace {

TEST(GaspiSize, of_0_moves_nothing_and_counts_as_a_request) {
  const Segment segment(64);
  segment.words()[7] = word_of(rank(), 1, 7);
  // At the end of both segments, too.
  EXPECT_TRUE(succeeds(gaspi_write(0, 64, next(), 0, 64, 0, 0, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_read(0, 56, next(), 0, 8, 0, 0, GASPI_BLOCK)));
  const gaspi_segment_id_t ids[2] = {0, 0};
  const gaspi_offset_t offsets[2] = {0, 56};
  const gaspi_size_t sizes[2] = {0, 0};
  EXPECT_TRUE(succeeds(gaspi_write_list(2, ids, offsets, next(), ids, offsets, sizes, 0, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_read_list(2, ids, offsets, next(), ids, offsets, sizes, 0, GASPI_BLOCK)));
  gaspi_number_t posted = 0;
  EXPECT_TRUE(succeeds(gaspi_queue_size(0, &posted)));
  EXPECT_EQ(posted, 6u);
  wait_for(0);
  barrier();
  for (int i = 0; i < 7; ++i) EXPECT_EQ(segment.words()[i], 0u);
  EXPECT_EQ(segment.words()[7], word_of(rank(), 1, 7));
}

TEST(GaspiSize, of_0_is_announced_alone) {
  const Segment segment(64);
  const gaspi_segment_id_t ids[1] = {0};
  const gaspi_offset_t offsets[1] = {64};
  const gaspi_size_t sizes[1] = {0};
  EXPECT_TRUE(succeeds(gaspi_write_notify(0, 0, next(), 0, 8, 0, 3, 33, 0, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_write_list_notify(1, ids, offsets, next(), ids, offsets, sizes, 0, 4, 44, 0, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_read_notify(0, 0, next(), 0, 8, 0, 5, 0, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_read_list_notify(1, ids, offsets, next(), ids, offsets, sizes, 0, 6, 0, GASPI_BLOCK)));
  EXPECT_EQ(take(0, 3), 33u);
  EXPECT_EQ(take(0, 4), 44u);
  EXPECT_EQ(take(0, 5), 1u);
  EXPECT_EQ(take(0, 6), 1u);
  wait_for(0);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(segment.words()[i], 0u);
}

TEST(GaspiSize, of_0_is_a_passive_message_of_its_sender) {
  const Segment segment(64);
  gaspi_rank_t from = 99;
  gaspi_size_t least = 1;
  EXPECT_TRUE(succeeds(gaspi_passive_transfer_size_min(&least)));
  EXPECT_EQ(least, 0u);
  EXPECT_TRUE(succeeds(gaspi_passive_send(0, 0, next(), 0, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_passive_receive(0, 8, &from, 8, GASPI_BLOCK)));
  EXPECT_EQ(from, previous());
  barrier();
}

TEST(GaspiNotify, waited_for_none_is_there_at_once) {
  const Segment segment(8);
  gaspi_notification_id_t id = 1234;
  EXPECT_TRUE(succeeds(gaspi_notify_waitsome(0, 0, 0, &id, GASPI_BLOCK)));
  EXPECT_EQ(id, 1234u);
}

TEST(GaspiNotify, is_reset_without_a_place_for_its_value) {
  const Segment segment(8);
  gaspi_notification_id_t id = 0;
  EXPECT_TRUE(succeeds(gaspi_notify(0, as_rank(rank()), 12, 5, 0, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_notify_waitsome(0, 12, 1, &id, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_notify_reset(0, 12, nullptr)));
  EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_notify_waitsome(0, 12, 1, &id, GASPI_TEST)));
  wait_for(0);
}

TEST(GaspiNotify, ids_are_counted_up_to_their_number) {
  const Segment segment(8);
  gaspi_number_t count = 0;
  EXPECT_TRUE(succeeds(gaspi_notification_num(&count)));
  ASSERT_EQ(count, 65536u);
  gaspi_notification_id_t last = 0;
  gaspi_number_t loops = 0;
  // As programs write this loop. With ids of 16 bits it does not end.
  for (gaspi_notification_id_t id = 65530; id < count && loops < 100; ++id, ++loops) last = id;
  EXPECT_EQ(loops, 6u);
  EXPECT_TRUE(succeeds(gaspi_notify(0, as_rank(rank()), last, 9, 0, GASPI_BLOCK)));
  EXPECT_EQ(take(0, 65535), 9u);
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_NOTIF_ID, gaspi_notify(0, as_rank(rank()), count, 9, 0, GASPI_BLOCK)));
  wait_for(0);
}

}  // namespace
}  // namespace halocline::test
