// Segments whose notifications the ranks of a node share. Any of them finds and takes what was sent to any of them, once. It may then read
// the data that were put with it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "engine/segments.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

/// Every rank sends `each` notifications to every node, to its ranks in turn. All ranks of the node try to take all of them.
class Crowd {
 public:
  explicit Crowd(int each) : each_(each), segment_(8, size() * each, true), taken_(static_cast<std::size_t>(size() * each)) {}

  void run() {
    Skew skew(7);
    for (int k = 0; k < each_; ++k) {
      for (int node = 0; node < nodes_.count(); ++node)
        EXPECT_TRUE(ok(hlc_notify(segment_.raw(), nodes_.some_rank_of(node, rank() + k), {rank() * each_ + k, value_of(rank(), k)})));
      if (k % 16 == 0) skew.delay();
      take_some();
    }
    while (left() > 0) take_some();
    segment_.barrier();
    expect_each_once();
  }

 private:
  static std::uint32_t value_of(int origin, int k) { return static_cast<std::uint32_t>(origin * 1'000'000 + k + 1); }
  /// How many the node has taken is counted in the part of its first rank.
  hlc_target counter() const { return segment_.at(nodes_.mine().front(), 0); }

  std::int64_t left() const {
    std::int64_t taken = 0;
    constexpr hlc_action read{HLC_OP_READ, HLC_NUMBER_INT64};
    EXPECT_TRUE(ok(hlc_fetch_op(counter(), read, nullptr, &taken)));
    return std::int64_t{size()} * each_ - taken;
  }

  void take_some() {
    int id = -1;
    while (hlc_notify_test(segment_.raw(), {0, size() * each_}, &id) == HLC_OK) {
      std::uint32_t value = 0;
      EXPECT_TRUE(ok(hlc_notify_reset(segment_.raw(), id, &value)));
      if (value == 0) continue;  // another was quicker
      EXPECT_EQ(value, value_of(id / each_, id % each_));
      taken_[static_cast<std::size_t>(id)] += 1;
      EXPECT_TRUE(ok(hlc_atomic_fetch_add(counter(), HLC_NUMBER_INT64, 1, nullptr)));
    }
  }

  void expect_each_once() {
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, nodes_.of(rank()), rank(), &node);
    MPI_Allreduce(MPI_IN_PLACE, taken_.data(), static_cast<int>(taken_.size()), MPI_INT, MPI_SUM, node);
    MPI_Comm_free(&node);
    const auto wrong = std::find_if(taken_.begin(), taken_.end(), [](int times) { return times != 1; });
    EXPECT_EQ(wrong - taken_.begin(), static_cast<std::ptrdiff_t>(taken_.size()))
        << "taken " << *wrong << " times by the ranks of the node";
  }

  Nodes nodes_;
  int each_;
  TestSegment segment_;
  std::vector<int> taken_;
};

TEST(SharedNotifications, are_taken_once_by_whichever_rank_of_the_node_asks_first) { Crowd(times(400)).run(); }
TEST(SharedNotifications, are_taken_once_where_there_are_few) { Crowd(3).run(); }

TEST(SharedNotifications, tell_another_rank_of_the_node_that_the_data_are_there) {
  constexpr std::int64_t bytes = 1000;
  const Nodes nodes;
  TestSegment segment(bytes, 2 * size(), true);
  // The rank next to rank t waits for what is sent to t, reads it and replies.
  const int to = (rank() + 1) % size();
  int watched = rank();
  while (nodes.next_to(watched) != rank()) watched = nodes.next_to(watched);
  const int origin = (watched + size() - 1) % size();
  hlc_segment_info_t info{};
  EXPECT_TRUE(ok(hlc_segment_info(segment.raw(), watched, &info)));
  Skew skew(8);
  for (std::uint32_t step = 1; step <= static_cast<std::uint32_t>(times(120)); ++step) {
    const std::vector<std::byte> mine = bytes_of(rank(), step, bytes), theirs = bytes_of(origin, step, bytes);
    int id = -1;
    std::uint32_t value = 0;
    skew.delay();
    EXPECT_TRUE(ok(hlc_put_notify(segment.at(to, 0), mine.data(), bytes, {to, step})));
    EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {watched, 1}, &id)));
    EXPECT_TRUE(std::equal(theirs.begin(), theirs.end(), static_cast<const std::byte *>(info.data))) << "step " << step;
    EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), watched, &value)));
    EXPECT_EQ(value, step);
    // What I have put may be put anew.
    EXPECT_TRUE(ok(hlc_notify(segment.raw(), origin, {size() + origin, step})));
    EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {size() + rank(), 1}, &id)));
    EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), size() + rank(), &value)));
    EXPECT_EQ(value, step);
  }
  segment.barrier();
}

TEST(SharedNotifications, wake_all_ranks_of_the_node_that_sleep) {
  const Nodes nodes;
  TestSegment segment(0, 100, true);
  std::uint32_t value = 0;
  for (int round = 0; round < 5; ++round) {
    const int sender = nodes.some_rank_of(nodes.of(rank()), round);
    int id = -1;
    if (rank() == sender) {
      std::this_thread::sleep_for(std::chrono::milliseconds(15));  // longer than the phases before sleep
      EXPECT_TRUE(ok(hlc_notify(segment.raw(), nodes.next_to(sender), {70 + round, 9})));
    }
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {0, 100}, &id)));
    EXPECT_EQ(id, 70 + round);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
    segment.barrier();
    EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), id, &value)));
    int got = value == 9 ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(got, nodes.count()) << "one rank of each node gets the value";
    segment.barrier();
  }
}

TEST(SharedNotifications, stay_apart_from_those_of_other_segments_and_nodes) {
  const Nodes nodes;
  TestSegment shared(0, 10, true), own(0, 10), other(0, 10, true);
  int id = -1;
  if (rank() == 0) {
    EXPECT_TRUE(ok(hlc_notify(shared.raw(), 0, {3, 1})));
    EXPECT_TRUE(ok(hlc_notify(own.raw(), 0, {4, 1})));
  }
  shared.barrier();
  EXPECT_TRUE(is_status(HLC_AGAIN, hlc_notify_test(other.raw(), {0, 10}, &id)));
  EXPECT_TRUE(is_status(nodes.of(rank()) == nodes.of(0) ? HLC_OK : HLC_AGAIN, hlc_notify_test(shared.raw(), {0, 10}, &id)));
  EXPECT_TRUE(is_status(rank() == 0 ? HLC_OK : HLC_AGAIN, hlc_notify_test(own.raw(), {0, 10}, &id)));
  shared.barrier();
}

}  // namespace
}  // namespace halocline::test
