// The operations on segments with threads as ranks under ThreadSanitizer. Plain data are only ordered by notifications, by barriers, or by
// a lock made of atomics. What these do not order is reported as a race.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "engine/segments.hpp"
#include "support/skew.hpp"
#include "threads/ranks.hpp"

namespace halocline::test {
namespace {

class Segments : public testing::TestWithParam<int> {};

/// Fewer steps for more ranks: they share the same cores.
int steps_of_all(int most) { return most / size(); }

/// True if the ranks are on two nodes, with a network between them.
bool on_two_nodes() { return std::getenv("HALOCLINE_FAKE_NODES") != nullptr && size() > 1; }

/// Waits for a get from another node; one from a rank of this node is complete at once.
void await_got(const TestSegment &segment, int rank) {
  if (on_two_nodes()) EXPECT_TRUE(ok(hlc_flush_local(segment.raw(), rank)));
}

/// Compares what the rank before this one has put into this rank's part, by plain loads.
void expect_bytes(const TestSegment &segment, int origin, std::uint64_t step, std::int64_t bytes) {
  const std::vector<std::byte> expected = bytes_of(origin, step, bytes);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), segment.data())) << "from rank " << origin << " in step " << step;
}

TEST_P(Segments, reach_other_nodes_over_the_network_of_this_test) {
  as_ranks(GetParam(), [] {
    TestSegment segment(64);
    int elsewhere = 0;
    for (int r = 0; r < size(); ++r) {
      hlc_segment_info_t info{};
      EXPECT_TRUE(ok(hlc_segment_info(segment.raw(), r, &info)));
      elsewhere += info.data == nullptr ? 1 : 0;
    }
    EXPECT_EQ(elsewhere > 0, on_two_nodes());
    if (on_two_nodes()) EXPECT_NE(std::string(hlc_context_network(context())).find("loopback"), std::string::npos);
  });
}

TEST_P(Segments, put_with_a_notification_without_a_race) {
  as_ranks(GetParam(), [] {
    TestSegment segment(300, 2);
    const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
    Skew skew(1);
    for (std::uint32_t step = 1; step <= static_cast<std::uint32_t>(steps_of_all(300)); ++step) {
      const std::vector<std::byte> mine = bytes_of(rank(), step, 300);
      int id = -1;
      std::uint32_t value = 0;
      skew.delay();
      EXPECT_TRUE(ok(hlc_put_notify(segment.at(next, 0), mine.data(), 300, {0, step})));
      // The notification is awaited, or only reset.
      if (step % 2 == 0) {
        EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {0, 1}, &id)));
      }
      while (value == 0) EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), 0, &value)));
      EXPECT_EQ(value, step);
      expect_bytes(segment, before, step, 300);
      // The part may be written again.
      EXPECT_TRUE(ok(hlc_notify(segment.raw(), before, {1, step})));
      EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {1, 1}, &id)));
      EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), 1, &value)));
      EXPECT_EQ(value, step);
    }
  });
}

TEST_P(Segments, read_what_a_notification_announces_once_it_is_seen_though_not_yet_taken) {
  as_ranks(GetParam(), [] {
    TestSegment segment(300, static_cast<int>(steps_of_all(120)));
    const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
    Skew skew(4);
    for (int step = 0; step < steps_of_all(120); ++step) {
      const std::vector<std::byte> mine = bytes_of(rank(), static_cast<std::uint64_t>(step), 2);
      int id = -1;
      skew.delay();
      EXPECT_TRUE(ok(hlc_put_notify(segment.at(next, 2 * step), mine.data(), 2, {step, 1})));
      EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {step, 1}, &id)));
      EXPECT_EQ(segment.data()[2 * step + 1], byte_of(before, static_cast<std::uint64_t>(step), 1));
    }
  });
}

TEST_P(Segments, share_notifications_without_a_race) {
  as_ranks(GetParam(), [] {
    // More ids than are polled one by one. A rank that resets one owns the bytes that were put with it until it notifies their writer.
    constexpr int ids = 200;
    constexpr std::int64_t bytes = 16;
    TestSegment segment(ids * bytes, 2 * ids, true);
    Skew skew(5);
    const int mine = ids / size(), first = rank() * mine;  // of them this rank writes
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(mine));
    const auto send = [&](int id) {
      const std::uint64_t step = ++sent[static_cast<std::size_t>(id - first)];
      const std::vector<std::byte> text = bytes_of(0, step, bytes);
      EXPECT_TRUE(ok(hlc_put_notify(segment.at(id % size(), id * bytes), text.data(), bytes, {id, static_cast<std::uint32_t>(step)})));
    };
    for (int id = first; id < first + mine; ++id) send(id);
    int left = mine * steps_of_all(24);
    for (int answered = 0; answered < left;) {
      int id = -1;
      std::uint32_t value = 0;
      if (hlc_notify_test(segment.raw(), {0, ids}, &id) == HLC_OK) {
        EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), id, &value)));
        if (value == 0) continue;
        hlc_segment_info_t info{};
        EXPECT_TRUE(ok(hlc_segment_info(segment.raw(), id % size(), &info)));
        const std::vector<std::byte> text = bytes_of(0, value, bytes);
        EXPECT_TRUE(std::equal(text.begin(), text.end(), static_cast<const std::byte *>(info.data) + id * bytes));
        EXPECT_TRUE(ok(hlc_notify(segment.raw(), 0, {ids + id, value})));
      }
      if (hlc_notify_test(segment.raw(), {ids + first, mine}, &id) != HLC_OK) continue;
      EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), id, &value)));
      EXPECT_EQ(value, sent[static_cast<std::size_t>(id - ids - first)]);
      if (static_cast<int>(++answered + mine) <= left) send(id - ids);
      skew.delay();
    }
    segment.barrier();
  });
}

TEST_P(Segments, that_share_notifications_wake_all_who_sleep) {
  std::atomic<int> awake{0};
  as_ranks(GetParam(), [&awake] {
    TestSegment segment(0, 100, true);
    for (int round = 0; round < 4; ++round) {
      int id = -1;
      if (rank() == round % size()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));  // longer than the phases before sleep
        EXPECT_TRUE(ok(hlc_notify(segment.raw(), rank(), {round, 1})));
      }
      EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {round, 1}, &id)));
      // The barrier would wake sleeping ranks too, so all must be awake before it.
      awake += 1;
      while (awake < (round + 1) * size()) std::this_thread::yield();
      segment.barrier();
    }
  });
}

TEST_P(Segments, meet_in_barriers_without_a_race) {
  as_ranks(GetParam(), [] {
    TestSegment segment(64);
    Skew skew(2);
    for (int step = 1; step <= steps_of_all(300); ++step) {
      const std::vector<std::byte> mine = bytes_of(rank(), static_cast<std::uint64_t>(step), 64);
      std::copy(mine.begin(), mine.end(), segment.data());
      skew.delay();
      segment.barrier();
      for (int r = 0; r < size(); ++r) {
        std::vector<std::byte> got(64);
        EXPECT_TRUE(ok(hlc_get(segment.at(r, 0), got.data(), 64)));
        await_got(segment, r);
        EXPECT_EQ(got, bytes_of(r, static_cast<std::uint64_t>(step), 64)) << "from rank " << r << " in step " << step;
      }
      skew.delay();
      segment.barrier();
    }
  });
}

TEST_P(Segments, lock_plain_data_with_atomics_without_a_race) {
  as_ranks(GetParam(), [] {
    TestSegment segment(16);
    const hlc_target lock = segment.at(0, 0), number = segment.at(0, 8);
    Skew skew(3);
    for (int step = 0; step < steps_of_all(120); ++step) {
      std::int64_t holder = 1, value = 0;
      while (holder != 0) EXPECT_TRUE(ok(hlc_atomic_compare_swap(lock, HLC_NUMBER_INT64, 0, rank() + 1, &holder)));
      EXPECT_TRUE(ok(hlc_get(number, &value, 8)));
      await_got(segment, 0);
      ++value;
      skew.delay();
      EXPECT_TRUE(ok(hlc_put(number, &value, 8)));
      EXPECT_TRUE(ok(hlc_flush(segment.raw(), 0)));
      EXPECT_TRUE(ok(hlc_atomic_swap(lock, HLC_NUMBER_INT64, 0, &holder)));
    }
    segment.barrier();
    std::int64_t value = 0;
    EXPECT_TRUE(ok(hlc_get(number, &value, 8)));
    await_got(segment, 0);
    EXPECT_EQ(value, std::int64_t{steps_of_all(120)} * size());
  });
}

TEST_P(Segments, add_up_in_all_types_without_a_race) {
  as_ranks(GetParam(), [] {
    TestSegment segment(8 * HLC_NUMBER_COUNT_);
    for (int step = 0; step < steps_of_all(120); ++step)
      for (int type = 0; type < HLC_NUMBER_COUNT_; ++type) {
        const std::int64_t one = 0x0101010101010101;  // 1 or more in every integer
        const hlc_op op = step % 2 == 0 && type < HLC_NUMBER_FLOAT32 ? HLC_OP_BXOR : HLC_OP_MAX;
        EXPECT_TRUE(ok(hlc_accumulate(segment.at(0, 8 * type), {op, static_cast<hlc_number>(type)}, &one, 1)));
      }
    segment.barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Segments, testing::Values(2, 3, 5),
                         [](const auto &info) { return "segment_n" + std::to_string(info.param); });

}  // namespace
}  // namespace halocline::test
