// Notifications and the barrier: data precede the notification, each notification is taken once, and no rank leaves a barrier early.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "engine/segments.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

constexpr std::int64_t sizes[] = {0, 1, 7, 8, 4096, (1 << 20) + 3};

TEST(Notify, arrives_after_the_data_it_announces_under_random_skew) {
  const std::int64_t most = sizes[std::size(sizes) - 1] + 16;
  TestSegment segment(most, 2);
  const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
  Skew skew(1);
  const auto steps = static_cast<std::uint32_t>(times(120));
  for (std::uint32_t step = 1; step <= steps; ++step) {
    // All ranks draw the same random numbers, so each knows what its neighbour sends.
    Random random(mixed(seed() ^ step));
    const std::int64_t bytes = sizes[between(random, 0, std::size(sizes) - 1)], offset = between(random, 0, 15);
    const std::vector<std::byte> mine = bytes_of(rank(), step, bytes), theirs = bytes_of(before, step, bytes);
    skew.delay();
    EXPECT_TRUE(ok(hlc_put_notify(segment.at(next, offset), mine.data(), bytes, {0, step})));
    int id = -1;
    std::uint32_t value = 0;
    EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {0, 1}, &id)));
    EXPECT_TRUE(std::equal(theirs.begin(), theirs.end(), segment.data() + offset)) << bytes << " bytes in step " << step;
    EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), 0, &value)));
    EXPECT_EQ(value, step);
    skew.delay();
    // My part may be written again.
    EXPECT_TRUE(ok(hlc_notify(segment.raw(), before, {1, step})));
    EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {1, 1}, &id)));
    EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), 1, &value)));
    EXPECT_EQ(value, step);
  }
}

TEST(Notify, is_found_in_its_range_alone_the_lowest_first_and_keeps_its_value) {
  TestSegment segment(0, 100);
  int id = -1;
  std::uint32_t value = 1;
  EXPECT_TRUE(is_status(HLC_AGAIN, hlc_notify_test(segment.raw(), {0, 100}, &id)));
  EXPECT_TRUE(ok(hlc_notify(segment.raw(), rank(), {99, 0xFFFFFFFFu})));
  EXPECT_TRUE(ok(hlc_notify(segment.raw(), rank(), {40, 1})));
  EXPECT_TRUE(is_status(HLC_AGAIN, hlc_notify_test(segment.raw(), {0, 40}, &id)));
  EXPECT_TRUE(is_status(HLC_AGAIN, hlc_notify_test(segment.raw(), {41, 58}, &id)));
  EXPECT_TRUE(ok(hlc_notify_test(segment.raw(), {0, 100}, &id)));
  EXPECT_EQ(id, 40);
  EXPECT_TRUE(ok(hlc_notify(segment.raw(), rank(), {40, 2})));
  EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), 40, &value)));
  EXPECT_EQ(value, 2u) << "a notification that is set again has the later value";
  EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), 40, &value)));
  EXPECT_EQ(value, 0u);
  EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {0, 100}, &id)));
  EXPECT_EQ(id, 99);
  EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), 99, &value)));
  EXPECT_EQ(value, 0xFFFFFFFFu);
}

/// A rank that sends to all ranks and takes from all, by several threads at once. Origin o uses the ids from o * lanes on. The id behind
/// them all is set when the target has taken its notification.
class Traffic {
 public:
  static constexpr int lanes = 4, takers = 3, steps = 150;

  Traffic() : segment_(0, 2 * ids()), taken_(static_cast<std::size_t>(ids() * steps)) {}

  void run() {
    std::vector<std::thread> threads;
    for (int lane = 0; lane < lanes; ++lane) threads.emplace_back([this, lane] { send(lane); });
    for (int taker = 0; taker < takers; ++taker) threads.emplace_back([this] { take(); });
    for (std::thread &thread : threads) thread.join();
    for (const std::atomic<int> &times : taken_) EXPECT_EQ(times, 1) << "times that one notification was taken";
  }

 private:
  static int ids() { return size() * lanes; }

  /// One lane: in each step sends to all ranks in turn, to each as soon as the target has taken the notification before.
  void send(int lane) {
    for (int step = 0; step < steps; ++step)
      for (int target = 0; target < size(); ++target) {
        const int answer = ids() + target * lanes + lane;
        std::uint32_t value = 0;
        int id = -1;
        if (step > 0) {
          EXPECT_TRUE(ok(hlc_notify_wait(segment_.raw(), {answer, 1}, &id)));
          EXPECT_TRUE(ok(hlc_notify_reset(segment_.raw(), answer, &value)));
          EXPECT_EQ(value, static_cast<std::uint32_t>(step));
        }
        EXPECT_TRUE(ok(hlc_notify(segment_.raw(), target, {rank() * lanes + lane, static_cast<std::uint32_t>(step) + 1})));
      }
  }

  /// Takes every notification that it finds until all have been taken. Another taker may have been quicker.
  void take() {
    while (left_.load() > 0) {
      int id = -1;
      std::uint32_t value = 0;
      const hlc_status status = hlc_notify_test(segment_.raw(), {0, ids()}, &id);
      if (status == HLC_AGAIN) {
        std::this_thread::yield();
        continue;
      }
      EXPECT_TRUE(ok(status));
      EXPECT_TRUE(ok(hlc_notify_reset(segment_.raw(), id, &value)));
      if (value == 0) continue;
      taken_[static_cast<std::size_t>(id * steps) + value - 1] += 1;
      left_ -= 1;
      if (value == steps) continue;
      EXPECT_TRUE(ok(hlc_notify(segment_.raw(), id / lanes, {ids() + rank() * lanes + id % lanes, value})));
    }
  }

  TestSegment segment_;
  std::vector<std::atomic<int>> taken_;
  std::atomic<int> left_{ids() * steps};
};

TEST(Notify, is_taken_once_by_many_threads_that_want_it) { Traffic().run(); }

TEST(Notify, wakes_all_threads_that_sleep_for_different_notifications) {
  TestSegment segment(0, 4);
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id)
    threads.emplace_back([&segment, id] {
      int found = -1;
      EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {id, 1}, &found)));
      EXPECT_EQ(found, id);
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // longer than the phases before sleep
  for (int id = 3; id >= 0; --id) EXPECT_TRUE(ok(hlc_notify(segment.raw(), (rank() + 1) % size(), {id, 5})));
  for (std::thread &thread : threads) thread.join();
}

int ranks_of_node(TestSegment &segment) {
  int ranks = 0;
  for (int r = 0; r < size(); ++r) {
    hlc_segment_info_t info{};
    EXPECT_TRUE(ok(hlc_segment_info(segment.raw(), r, &info)));
    if (info.data) ranks += 1;
  }
  return ranks;
}

int cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
}

/// Threads that all wake up every 50 microseconds leave no time to the one that they wait for.
TEST(Notify, sleeps_longer_in_a_long_wait_if_ranks_share_cores) {
  if (size() == 1) GTEST_SKIP() << "one rank waits for no other";
  constexpr auto late = std::chrono::milliseconds(500);
  TestSegment segment(8, 1);
  const bool crowded = ranks_of_node(segment) > cores();
  if (rank() == 0) {
    rusage before{}, after{};
    int id = -1;
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(getrusage(RUSAGE_THREAD, &before), 0);
    EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {0, 1}, &id)));
    EXPECT_EQ(getrusage(RUSAGE_THREAD, &after), 0);
    const std::chrono::duration<double, std::milli> waited = std::chrono::steady_clock::now() - begun;
    // The first sleeps are short, of a wait that begins late, too.
    if (crowded) {
      EXPECT_LT(static_cast<double>(after.ru_nvcsw - before.ru_nvcsw), 100 + 2 * waited.count());
    }
  }
  if (rank() == size() - 1) {
    std::this_thread::sleep_for(late);
    EXPECT_TRUE(ok(hlc_notify(segment.raw(), 0, {0, 1})));
  }
  segment.barrier();
  if (!crowded) GTEST_SKIP() << "each rank of a node has a core";
}

TEST(Barrier, lets_nobody_go_before_all_have_come_under_random_skew) {
  TestSegment segment(8);
  Skew skew(2);
  constexpr hlc_action read{HLC_OP_READ, HLC_NUMBER_INT64};
  const int steps = times(300);
  for (std::int64_t step = 1; step <= steps; ++step) {
    skew.delay();
    std::int64_t seen = 0;
    EXPECT_TRUE(ok(hlc_atomic_swap(segment.at(rank(), 0), HLC_NUMBER_INT64, step, nullptr)));
    segment.barrier();
    for (int r = 0; r < size(); ++r) {
      EXPECT_TRUE(ok(hlc_fetch_op(segment.at(r, 0), read, nullptr, &seen)));
      EXPECT_TRUE(seen == step || seen == step + 1)
          << "rank " << r << " is at " << seen << " when rank " << rank() << " leaves barrier " << step;
    }
  }
}

TEST(Barrier, orders_plain_stores_before_loads_of_other_ranks) {
  TestSegment segment(4096);
  Skew skew(3);
  const auto steps = static_cast<std::uint64_t>(times(100));
  for (std::uint64_t step = 1; step <= steps; ++step) {
    const std::vector<std::byte> bytes = bytes_of(rank(), step, 4096);
    std::copy(bytes.begin(), bytes.end(), segment.data());
    skew.delay();
    segment.barrier();
    for (int r = 0; r < size(); ++r) {
      hlc_segment_info_t info{};
      EXPECT_TRUE(ok(hlc_segment_info(segment.raw(), r, &info)));
      const std::vector<std::byte> expected = bytes_of(r, step, 4096);
      std::vector<std::byte> got(4096);
      EXPECT_TRUE(ok(hlc_get(segment.at(r, 0), got.data(), 4096)));
      EXPECT_TRUE(ok(hlc_flush_local(segment.raw(), r)));
      // Parts of other nodes can only be read by get.
      const auto *found = info.data ? static_cast<const std::byte *>(info.data) : got.data();
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found)) << "rank " << r << ", step " << step;
    }
    segment.barrier();
  }
}

}  // namespace
}  // namespace halocline::test
