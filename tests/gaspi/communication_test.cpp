// GASPI 17.1, sections 8, 10 and 11.2: reading, writing, notifications, queues, atomics, the barrier and timeouts.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "gaspi_test.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

constexpr gaspi_offset_t bytes_of(std::uint64_t words) { return 8 * words; }

/// Lengths of some words, of pages, of more than a request copies, and of more than a transfer of the poor network.
constexpr std::uint64_t lengths[] = {1, 2, 7, 64, 255, 257, 511, 700, 4096, 20000};
constexpr std::uint64_t longest = 20000;

TEST(GaspiWrite, is_there_after_wait_and_barrier) {
  const Segment segment(bytes_of(2 * longest));
  std::uint64_t step = 0;
  for (const std::uint64_t count : lengths) {
    step += 1;
    for (std::uint64_t i = 0; i < count; ++i) segment.words()[i] = word_of(rank(), step, i);
    EXPECT_TRUE(succeeds(gaspi_write(0, 0, next(), 0, bytes_of(longest), bytes_of(count), 0, GASPI_BLOCK)));
    wait_for(0);
    barrier();
    expect_words(segment.words() + longest, count, previous(), step);
    barrier();
  }
}

TEST(GaspiRead, is_there_after_wait) {
  const Segment segment(bytes_of(2 * longest));
  std::uint64_t step = 100;
  for (const std::uint64_t count : lengths) {
    step += 1;
    for (std::uint64_t i = 0; i < count; ++i) segment.words()[i] = word_of(rank(), step, i);
    barrier();
    EXPECT_TRUE(succeeds(gaspi_read(0, bytes_of(longest), next(), 0, 0, bytes_of(count), 1, GASPI_BLOCK)));
    wait_for(1);
    expect_words(segment.words() + longest, count, next(), step);
    barrier();
  }
}

TEST(GaspiWriteNotify, arrives_after_the_data_it_announces) {
  const Segment segment(bytes_of(2 * longest));
  std::uint64_t step = 200;
  for (int times = 0; times < 5; ++times)
    for (const std::uint64_t count : lengths) {
      step += 1;
      for (std::uint64_t i = 0; i < count; ++i) segment.words()[i] = word_of(rank(), step, i);
      const auto value = static_cast<gaspi_notification_t>(step);
      EXPECT_TRUE(succeeds(gaspi_write_notify(0, 0, next(), 0, bytes_of(longest), bytes_of(count), 5, value, 0, GASPI_BLOCK)));
      EXPECT_EQ(take(0, 5), value);
      expect_words(segment.words() + longest, count, previous(), step);
      wait_for(0);
      barrier();
    }
}

TEST(GaspiNotify, arrives_after_all_writes_of_its_queue) {
  const Segment segment(bytes_of(2 * longest));
  for (std::uint64_t step = 1; step <= 20; ++step) {
    for (std::uint64_t i = 0; i < longest; ++i) segment.words()[i] = word_of(rank(), step, i);
    // A long write, then short ones that could overtake it, then the notification.
    EXPECT_TRUE(succeeds(gaspi_write(0, 0, next(), 0, bytes_of(longest), bytes_of(longest - 16), 2, GASPI_BLOCK)));
    for (std::uint64_t i = longest - 16; i < longest; ++i)
      EXPECT_TRUE(succeeds(gaspi_write(0, bytes_of(i), next(), 0, bytes_of(longest + i), 8, 2, GASPI_BLOCK)));
    EXPECT_TRUE(succeeds(gaspi_notify(0, next(), 77, static_cast<gaspi_notification_t>(step), 2, GASPI_BLOCK)));
    EXPECT_EQ(take(0, 77), step);
    expect_words(segment.words() + longest, longest, previous(), step);
    wait_for(2);
    barrier();
  }
}

/// One rank at a time writes more than a provider's queue and a socket hold, to a rank that does not poll for a while. Some writes have to
/// wait for room, and the notification has to wait for them.
TEST(GaspiNotify, arrives_after_more_writes_than_the_network_holds) {
  constexpr std::uint64_t writes = 200, words = 1000;
  const Segment segment(bytes_of(2 * writes * words));
  for (std::uint64_t step = 1; step <= 4; ++step) {
    if (rank() == 0) {
      for (std::uint64_t i = 0; i < writes * words; ++i) segment.words()[i] = word_of(0, step, i);
      for (std::uint64_t i = 0; i < writes; ++i) {
        const gaspi_offset_t from = bytes_of(i * words);
        ASSERT_TRUE(succeeds(gaspi_write(0, from, next(), 0, bytes_of(writes * words) + from, bytes_of(words), 2, GASPI_BLOCK)));
      }
      EXPECT_TRUE(succeeds(gaspi_notify(0, next(), 78, static_cast<gaspi_notification_t>(step), 2, GASPI_BLOCK)));
      wait_for(2);
    }
    if (previous() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(take(0, 78), step);
      expect_words(segment.words() + writes * words, writes * words, 0, step);
    }
    barrier();
  }
}

TEST(GaspiNotify, is_found_in_its_range_alone_and_taken_once) {
  const Segment segment(8);
  gaspi_notification_id_t id = 0;
  gaspi_notification_t value = 9;
  EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_notify_waitsome(0, 0, 65535, &id, GASPI_TEST)));
  barrier();
  EXPECT_TRUE(succeeds(gaspi_notify(0, next(), 40, 1, 0, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_notify(0, next(), 65535, 0xFFFFFFFFu, 0, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_notify_waitsome(0, 65535, 1, &id, GASPI_BLOCK)));
  EXPECT_EQ(id, 65535);
  EXPECT_TRUE(succeeds(gaspi_notify_waitsome(0, 40, 1, &id, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_notify_waitsome(0, 0, 40, &id, GASPI_TEST)));
  EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_notify_waitsome(0, 41, 65494, &id, 1)));
  EXPECT_TRUE(succeeds(gaspi_notify_waitsome(0, 0, 65536, &id, GASPI_TEST)));
  EXPECT_EQ(id, 40);
  EXPECT_TRUE(succeeds(gaspi_notify_reset(0, 40, &value)));
  EXPECT_EQ(value, 1u);
  EXPECT_TRUE(succeeds(gaspi_notify_reset(0, 40, &value)));
  EXPECT_EQ(value, 0u);
  EXPECT_TRUE(succeeds(gaspi_notify_waitsome(0, 0, 65536, &id, GASPI_BLOCK)));
  EXPECT_EQ(id, 65535);
  EXPECT_TRUE(succeeds(gaspi_notify_reset(0, 65535, &value)));
  EXPECT_EQ(value, 0xFFFFFFFFu);
  wait_for(0);
}

TEST(GaspiNotify, comes_from_every_rank_to_every_rank) {
  const Segment segment(8);
  for (std::uint64_t step = 1; step <= 30; ++step) {
    const auto value = static_cast<gaspi_notification_t>(step);
    for (int r = 0; r < size(); ++r)
      EXPECT_TRUE(succeeds(gaspi_notify(0, as_rank(r), static_cast<gaspi_notification_id_t>(rank()), value, 0, GASPI_BLOCK)));
    for (int r = 0; r < size(); ++r) EXPECT_EQ(take(0, static_cast<gaspi_notification_id_t>(r)), value);
    wait_for(0);
    barrier();
  }
}

TEST(GaspiQueue, is_full_at_its_size_and_empty_after_wait) {
  const Segment segment(64);
  gaspi_number_t most = 0, posted = 0;
  EXPECT_TRUE(succeeds(gaspi_queue_size_max(&most)));
  for (gaspi_number_t i = 0; i < most; ++i) ASSERT_TRUE(succeeds(gaspi_write(0, 0, next(), 0, 8, 8, 3, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_queue_size(3, &posted)));
  EXPECT_EQ(posted, most);
  EXPECT_TRUE(comes_to(GASPI_QUEUE_FULL, gaspi_write(0, 0, next(), 0, 8, 8, 3, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_QUEUE_FULL, gaspi_notify(0, next(), 0, 1, 3, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_write(0, 0, next(), 0, 8, 8, 4, GASPI_BLOCK))) << "another queue";
  wait_for(3);
  wait_for(4);
  EXPECT_TRUE(succeeds(gaspi_queue_size(3, &posted)));
  EXPECT_EQ(posted, 0u);
  gaspi_notification_id_t id = 0;
  barrier();
  EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_notify_waitsome(0, 0, 1, &id, GASPI_TEST))) << "it was refused";
}

TEST(GaspiQueue, keeps_count_while_one_thread_waits_and_another_is_refused) {
  const Segment segment(64);
  constexpr gaspi_segment_id_t nowhere = 77;
  constexpr gaspi_queue_id_t queue = 5;
  std::atomic<bool> posting{true};
  // The queue has a free entry while the segment is looked up.
  std::thread poster([&] {
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_write(0, 0, next(), nowhere, 8, 8, queue, GASPI_BLOCK)));
    posting = false;
  });
  gaspi_number_t posted = 0, most = 0;
  while (posting) {
    wait_for(queue);
    EXPECT_TRUE(succeeds(gaspi_queue_size(queue, &posted)));
    most = std::max(most, posted);
  }
  poster.join();
  EXPECT_LE(most, 1u);
  EXPECT_TRUE(succeeds(gaspi_queue_size(queue, &posted)));
  EXPECT_EQ(posted, 0u);
  barrier();
}

TEST(GaspiQueue, is_made_up_to_the_limit_and_deleted) {
  gaspi_number_t there = 0, most = 0;
  gaspi_queue_id_t queue = 0;
  EXPECT_TRUE(succeeds(gaspi_queue_num(&there)));
  EXPECT_TRUE(succeeds(gaspi_queue_max(&most)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_QUEUE, gaspi_wait(static_cast<gaspi_queue_id_t>(there), GASPI_BLOCK)));
  for (gaspi_number_t i = there; i < most; ++i) EXPECT_TRUE(succeeds(gaspi_queue_create(&queue, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_QUEUE, gaspi_queue_create(&queue, GASPI_BLOCK)));
  wait_for(queue);
  EXPECT_TRUE(succeeds(gaspi_queue_purge(queue, GASPI_BLOCK)));
  for (gaspi_number_t i = there; i < most; ++i) EXPECT_TRUE(succeeds(gaspi_queue_delete(static_cast<gaspi_queue_id_t>(i))));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_QUEUE, gaspi_queue_purge(queue, GASPI_BLOCK)));
}

TEST(GaspiAtomic, counts_every_addition_of_every_rank) {
  const Segment segment(64);
  constexpr int times = 200;
  gaspi_atomic_value_t old = 0, seen = 0;
  for (int i = 0; i < times; ++i) {
    EXPECT_TRUE(succeeds(gaspi_atomic_fetch_add(0, 8, 0, 3, &old, GASPI_BLOCK)));
    EXPECT_EQ(old % 3, 0u);
    EXPECT_TRUE(i == 0 || old > seen) << "what it was only grows";
    seen = old;
  }
  barrier();
  EXPECT_TRUE(succeeds(gaspi_atomic_fetch_add(0, 8, 0, 0, &old, GASPI_BLOCK)));
  EXPECT_EQ(old, 3u * times * static_cast<unsigned>(size()));
}

TEST(GaspiAtomic, lets_one_rank_at_a_time_have_a_lock) {
  const Segment segment(64);
  const gaspi_rank_t home = as_rank(size() - 1);
  const auto me = static_cast<gaspi_atomic_value_t>(rank()) + 1;
  gaspi_atomic_value_t old = 0;
  for (int i = 0; i < 30; ++i) {
    do EXPECT_TRUE(succeeds(gaspi_atomic_compare_swap(0, 0, home, 0, me, &old, GASPI_BLOCK)));
    while (old != 0);
    // Protected by the lock alone: read, add, write.
    EXPECT_TRUE(succeeds(gaspi_read(0, 32, home, 0, 16, 8, 0, GASPI_BLOCK)));
    wait_for(0);
    segment.words()[5] = segment.words()[4] + 1;
    EXPECT_TRUE(succeeds(gaspi_write(0, 40, home, 0, 16, 8, 0, GASPI_BLOCK)));
    // The write must have arrived before the lock is released: a read follows it.
    EXPECT_TRUE(succeeds(gaspi_disconnect(home, GASPI_BLOCK)));
    wait_for(0);
    EXPECT_TRUE(succeeds(gaspi_atomic_compare_swap(0, 0, home, me, 0, &old, GASPI_BLOCK)));
    EXPECT_EQ(old, me);
  }
  barrier();
  if (rank() == home) {
    EXPECT_EQ(segment.words()[2], 30u * static_cast<unsigned>(size()));
  }
}

TEST(GaspiBarrier, lets_nobody_go_before_all_have_come_under_random_skew) {
  const Segment segment(64);
  Skew skew(2);
  gaspi_atomic_value_t seen = 0;
  const int steps = 60;
  for (int step = 1; step <= steps; ++step) {
    skew.delay();
    EXPECT_TRUE(succeeds(gaspi_atomic_fetch_add(0, 0, as_rank(rank()), 1, &seen, GASPI_BLOCK)));
    barrier();
    for (int r = 0; r < size(); ++r) {
      EXPECT_TRUE(succeeds(gaspi_atomic_fetch_add(0, 0, as_rank(r), 0, &seen, GASPI_BLOCK)));
      EXPECT_TRUE(seen == static_cast<unsigned>(step) || seen == static_cast<unsigned>(step) + 1)
          << "rank " << r << " is at " << seen << " when rank " << rank() << " leaves barrier " << step;
    }
  }
}

TEST(GaspiTimeout, of_a_barrier_is_gone_on_with_by_the_next_call) {
  const Segment segment(64);
  if (size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (int step = 0; step < 3; ++step) {
    if (rank() == 0) {
      // The others must time out in the barrier first; then rank 0 enters it.
      for (int r = 1; r < size(); ++r) take(0, static_cast<gaspi_notification_id_t>(r));
      barrier();
      continue;
    }
    EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_barrier(GASPI_GROUP_ALL, GASPI_TEST)));
    EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_barrier(GASPI_GROUP_ALL, 5)));
    EXPECT_TRUE(comes_to(GASPI_ERR_ACTIVE_COLL, gaspi_segment_create(1, 8, GASPI_GROUP_ALL, GASPI_TEST, GASPI_ALLOC_DEFAULT)));
    EXPECT_TRUE(succeeds(gaspi_notify(0, 0, static_cast<gaspi_notification_id_t>(rank()), 1, 0, GASPI_BLOCK)));
    while (gaspi_barrier(GASPI_GROUP_ALL, 1) == GASPI_TIMEOUT) continue;
    wait_for(0);
  }
}

TEST(GaspiTimeout, of_a_creation_is_gone_on_with_by_the_next_call) {
  if (size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  const Segment segment(64);
  if (rank() == 0) {
    for (int r = 1; r < size(); ++r) take(0, static_cast<gaspi_notification_id_t>(r));
  } else {
    EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_segment_create(1, 128, GASPI_GROUP_ALL, 5, GASPI_ALLOC_DEFAULT)));
    EXPECT_TRUE(succeeds(gaspi_notify(0, 0, static_cast<gaspi_notification_id_t>(rank()), 1, 0, GASPI_BLOCK)));
  }
  EXPECT_TRUE(succeeds(gaspi_segment_create(1, 128, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_ALLOC_DEFAULT)));
  gaspi_size_t bytes = 0;
  EXPECT_TRUE(succeeds(gaspi_segment_size(1, next(), &bytes)));
  EXPECT_EQ(bytes, 128u);
  wait_for(0);
  barrier();
  EXPECT_TRUE(succeeds(gaspi_segment_delete(1)));
}

TEST(GaspiTimeout, of_a_wait_for_a_notification_lasts_as_long_as_it_says) {
  const Segment segment(8);
  gaspi_notification_id_t id = 0;
  const auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_notify_waitsome(0, 0, 10, &id, 50)));
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(50));
}

TEST(GaspiThreads, write_and_wait_at_once_while_another_makes_segments) {
  constexpr int lanes = 4, steps = 60;
  const Segment segment(bytes_of(2 * lanes));
  std::vector<std::thread> threads;
  for (int lane = 0; lane < lanes; ++lane)
    threads.emplace_back([&segment, lane] {
      const auto place = static_cast<std::uint64_t>(lane);
      const auto id = static_cast<gaspi_notification_id_t>(lane), answer = static_cast<gaspi_notification_id_t>(lanes + lane);
      const auto queue = static_cast<gaspi_queue_id_t>(lane % 2);
      for (std::uint64_t step = 1; step <= steps; ++step) {
        segment.words()[place] = word_of(rank(), step, place);
        const auto value = static_cast<gaspi_notification_t>(step);
        EXPECT_TRUE(succeeds(gaspi_write_notify(0, bytes_of(place), next(), 0, bytes_of(lanes + place), 8, id, value, queue, GASPI_BLOCK)));
        EXPECT_EQ(take(0, id), value);
        EXPECT_EQ(segment.words()[lanes + place], word_of(previous(), step, place));
        // The writer may write again only after this.
        EXPECT_TRUE(succeeds(gaspi_notify(0, previous(), answer, value, queue, GASPI_BLOCK)));
        EXPECT_EQ(take(0, answer), value);
        wait_for(queue);
      }
    });
  for (int i = 0; i < 5; ++i) Segment(4096, 1);
  for (std::thread &thread : threads) thread.join();
  barrier();
}

/// A call with one wrong argument, and its return code.
TEST(GaspiArguments, that_are_wrong_are_named_by_their_codes) {
  const Segment segment(64);
  const gaspi_rank_t me = as_rank(rank()), nobody = as_rank(size());
  const auto write = [&](gaspi_segment_id_t local, gaspi_offset_t from, gaspi_rank_t to, gaspi_segment_id_t remote, gaspi_offset_t at,
                         gaspi_size_t bytes, gaspi_queue_id_t queue) {
    const gaspi_return_t code = gaspi_write(local, from, to, remote, at, bytes, queue, GASPI_BLOCK);
    EXPECT_TRUE(comes_to(code, gaspi_read(local, from, to, remote, at, bytes, queue, GASPI_BLOCK)));
    EXPECT_TRUE(comes_to(code, gaspi_write_notify(local, from, to, remote, at, bytes, 0, 1, queue, GASPI_BLOCK)));
    return code;
  };
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, write(1, 0, me, 0, 0, 8, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, write(0, 0, me, 1, 0, 8, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, write(0, 0, me, 255, 0, 8, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, write(255, 0, me, 0, 0, 8, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_LOC_OFF, write(0, 64, me, 0, 0, 8, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_LOC_OFF, write(0, 60, me, 0, 0, 8, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_LOC_OFF, write(0, ~0ul, me, 0, 0, 8, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_REM_OFF, write(0, 0, next(), 0, 64, 8, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_REM_OFF, write(0, 0, next(), 0, 57, 8, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_RANK, write(0, 0, nobody, 0, 0, 8, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_QUEUE, write(0, 0, me, 0, 0, 8, 99)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_LOC_OFF, write(0, 65, me, 0, 0, 0, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_REM_OFF, write(0, 64, me, 0, 65, 0, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_COMMSIZE, write(0, 0, me, 0, 0, ~0ul, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_NOTIF_VAL, gaspi_notify(0, me, 0, 0, 0, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_NOTIF_VAL, gaspi_write_notify(0, 0, me, 0, 0, 8, 0, 0, 0, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_RANK, gaspi_notify(0, nobody, 0, 1, 0, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_notify(1, me, 0, 1, 0, GASPI_BLOCK)));
  gaspi_notification_id_t id = 0;
  gaspi_notification_t value = 0;
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_NUM, gaspi_notify_waitsome(0, 1, 65536, &id, GASPI_TEST)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_notify_waitsome(1, 0, 1, &id, GASPI_TEST)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_notify_waitsome(1, 0, 0, &id, GASPI_TEST)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_NOTIF_ID, gaspi_notify_waitsome(0, 65536, 0, &id, GASPI_TEST)));
  EXPECT_TRUE(comes_to(GASPI_ERR_NULLPTR, gaspi_notify_waitsome(0, 0, 1, nullptr, GASPI_TEST)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_notify_reset(1, 0, &value)));
  gaspi_atomic_value_t old = 0;
  EXPECT_TRUE(comes_to(GASPI_ERR_UNALIGN_OFF, gaspi_atomic_fetch_add(0, 4, me, 1, &old, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_REM_OFF, gaspi_atomic_fetch_add(0, 64, me, 1, &old, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_RANK, gaspi_atomic_compare_swap(0, 0, nobody, 1, 1, &old, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_atomic_compare_swap(1, 0, me, 1, 1, &old, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_NULLPTR, gaspi_atomic_fetch_add(0, 0, me, 1, nullptr, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_GROUP, gaspi_barrier(7, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_GROUP, gaspi_group_delete(GASPI_GROUP_ALL)));
  gaspi_number_t posted = 9;
  EXPECT_TRUE(succeeds(gaspi_queue_size(0, &posted)));
  EXPECT_EQ(posted, 0u) << "what is refused is not posted";
  for (int i = 0; i < 8; ++i) EXPECT_EQ(segment.words()[i], 0u);
}

}  // namespace
}  // namespace halocline::test
