// Ranks of other nodes: what a network may do and shared memory does not. Transfers in pieces overtake each other, and notifications must
// not precede their data. The target carries out queries, and flushes have to wait.
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

namespace halocline::test {
namespace {

/// A rank of another node, or this rank's successor if all share a node.
int far_rank() {
  const std::vector<int> nodes = nodes_of_ranks();
  for (int step = 1; step < size(); ++step)
    if (const int r = (rank() + step) % size(); nodes[static_cast<std::size_t>(r)] != nodes[static_cast<std::size_t>(rank())]) return r;
  return (rank() + 1) % size();
}

/// Every rank repeatedly sends to every rank, lengths up to a megabyte. No rank waits for anything but notifications.
TEST(OtherNodes, see_a_notification_only_after_all_pieces_of_its_data) {
  constexpr std::int64_t most = 200'000;
  TestSegment segment(most * size(), 2 * size());
  Skew skew(7);
  for (std::uint32_t step = 1; step <= 60; ++step) {
    for (int to = 0; to < size(); ++to) {
      Random random(mixed(seed() ^ (static_cast<std::uint64_t>(rank() * size() + to) << 32 | step)));
      const std::int64_t bytes = between(random, 0, between(random, 0, 3) == 0 ? most : 3000);
      const std::vector<std::byte> mine = bytes_of(rank() * size() + to, step, bytes);
      EXPECT_TRUE(ok(hlc_put_notify(segment.at(to, rank() * most), mine.data(), bytes, {rank(), step})));
      if (between(random, 0, 3) == 0) skew.delay();
      EXPECT_TRUE(ok(hlc_flush_local(segment.raw(), to)));
    }
    for (int from = 0; from < size(); ++from) {
      int id = -1;
      std::uint32_t value = 0;
      EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {from, 1}, &id)));
      EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), from, &value)));
      EXPECT_EQ(value, step);
      Random random(mixed(seed() ^ (static_cast<std::uint64_t>(from * size() + rank()) << 32 | step)));
      const std::int64_t bytes = between(random, 0, between(random, 0, 3) == 0 ? most : 3000);
      const std::vector<std::byte> theirs = bytes_of(from * size() + rank(), step, bytes);
      EXPECT_TRUE(std::equal(theirs.begin(), theirs.end(), segment.data() + from * most)) << bytes << " bytes of rank " << from;
      EXPECT_TRUE(ok(hlc_notify(segment.raw(), from, {size() + rank(), step})));
    }
    for (int to = 0; to < size(); ++to) {
      int id = -1;
      std::uint32_t value = 0;
      EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {size() + to, 1}, &id)));
      EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), id, &value)));
      EXPECT_EQ(value, step);
    }
  }
}

/// After a flush everything is at the target: the target checks its memory once a message by other means has told it to.
TEST(OtherNodes, have_all_that_was_begun_before_a_flush) {
  constexpr std::int64_t bytes = 40'000;
  TestSegment segment(2 * bytes, 8);
  const int to = (rank() + 1) % size(), from = (rank() + size() - 1) % size();
  for (std::uint32_t step = 1; step <= 40; ++step) {
    const std::vector<std::byte> mine = bytes_of(rank(), step, bytes), theirs = bytes_of(from, step, bytes);
    for (std::int64_t begin = 0; begin < bytes; begin += 500) EXPECT_TRUE(ok(hlc_put(segment.at(to, begin), mine.data() + begin, 500)));
    EXPECT_TRUE(ok(hlc_put_notify(segment.at(to, bytes), mine.data(), bytes, {3, step})));
    const std::uint32_t one = 1;
    EXPECT_TRUE(ok(hlc_notify(segment.raw(), to, {5, one})));
    EXPECT_TRUE(ok(step % 2 == 0 ? hlc_flush(segment.raw(), to) : hlc_flush_all(segment.raw())));
    segment.barrier();
    std::uint32_t value = 0;
    EXPECT_TRUE(std::equal(theirs.begin(), theirs.end(), segment.data())) << "put in step " << step;
    EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), 3, &value)));
    EXPECT_EQ(value, step) << "a notification that was flushed is set";
    EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), 5, &value)));
    EXPECT_EQ(value, one);
    EXPECT_TRUE(std::equal(theirs.begin(), theirs.end(), segment.data() + bytes));
    segment.barrier();
  }
}

/// A rank of the target's node sets a newer notification through shared memory as soon as an MPI message reports that the flush is over. If
/// the older notification were still under way, it would overwrite the newer one. The target does not check when it is sent.
TEST(OtherNodes, have_set_a_notification_when_its_flush_ends) {
  const std::vector<int> nodes = nodes_of_ranks();
  if (size() < 3 || nodes[0] != nodes[1] || nodes[0] == nodes.back()) GTEST_SKIP() << "needs two ranks on one node, and one on another";
  constexpr int word = 0, done = 1;
  const int target = 0, neighbour = 1, far = size() - 1;
  TestSegment segment(8, 2);
  for (std::uint32_t step = 1; step <= 40; ++step) {
    if (rank() == far) {
      EXPECT_TRUE(ok(hlc_notify(segment.raw(), target, {word, 2 * step - 1})));
      EXPECT_TRUE(ok(hlc_flush(segment.raw(), target)));
      MPI_Send(nullptr, 0, MPI_INT, neighbour, 0, MPI_COMM_WORLD);
    } else if (rank() == neighbour) {
      MPI_Recv(nullptr, 0, MPI_INT, far, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_TRUE(ok(hlc_notify(segment.raw(), target, {word, 2 * step})));
      EXPECT_TRUE(ok(hlc_notify(segment.raw(), target, {done, step})));
    } else if (rank() == target) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      int id = -1;
      EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {done, 1}, &id)));
    }
    segment.barrier();
    std::uint32_t value = 0, last = 0;
    EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), word, &value)));
    EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), done, &last)));
    EXPECT_EQ(value, rank() == target ? 2 * step : 0);
    segment.barrier();
  }
}

/// Polls the network, then calls nothing of the library for a millisecond, until a message has arrived.
void look_rarely_until_told(const TestSegment &segment, int from) {
  int step = 0;
  MPI_Request message = MPI_REQUEST_NULL;
  MPI_Irecv(&step, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &message);
  for (int told = 0; !told;) {
    for (int look = 0; look < 64; ++look) {
      int id = -1;
      EXPECT_TRUE(is_status(HLC_AGAIN, hlc_notify_test(segment.raw(), {1, 1}, &id)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    MPI_Test(&message, &told, MPI_STATUS_IGNORE);
  }
}

/// What has left its origin may still be in the target's socket. A flush must not return before it is in the target's memory.
TEST(OtherNodes, have_short_puts_and_notifications_when_a_flush_returns_though_they_look_rarely) {
  if (size() == 1) GTEST_SKIP() << "one rank has no other";
  TestSegment segment(8, 2);
  const std::vector<int> nodes = nodes_of_ranks();
  const auto other = std::find_if(nodes.begin(), nodes.end(), [&](int node) { return node != nodes[0]; });
  const int target = other == nodes.end() ? 1 : static_cast<int>(other - nodes.begin());
  for (int step = 1; step <= 30; ++step) {
    const std::int64_t number = step % 3 == 0 ? step - 1 : step;  // in every third step nothing is put, in others nothing is notified
    const std::uint32_t notified = step % 3 == 1 ? 0 : static_cast<std::uint32_t>(step);
    if (rank() == 0) {
      if (number == step) {
        EXPECT_TRUE(ok(hlc_put(segment.at(target, 0), &number, 8)));
      }
      if (notified != 0) {
        EXPECT_TRUE(ok(hlc_notify(segment.raw(), target, {0, notified})));
      }
      EXPECT_TRUE(ok(step % 2 == 0 ? hlc_flush(segment.raw(), target) : hlc_flush_all(segment.raw())));
      MPI_Send(&step, 1, MPI_INT, target, 0, MPI_COMM_WORLD);
      MPI_Recv(nullptr, 0, MPI_INT, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank() == target) {
      look_rarely_until_told(segment, 0);
      std::int64_t found = 0;
      std::copy_n(segment.data(), 8, reinterpret_cast<std::byte *>(&found));
      EXPECT_EQ(found, number) << "a put that was flushed";
      std::uint32_t value = 0;
      EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), 0, &value)));
      EXPECT_EQ(value, notified) << "a notification that was flushed";
      MPI_Send(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
  }
}

TEST(OtherNodes, give_what_was_accumulated_in_arrays_longer_than_a_message) {
  constexpr std::int64_t count = 3000;
  TestSegment segment(8 * count);
  std::vector<std::int64_t> ones(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) ones[static_cast<std::size_t>(i)] = i + rank();
  for (int to = 0; to < size(); ++to)
    EXPECT_TRUE(ok(hlc_accumulate(segment.at(to, 0), {HLC_OP_SUM, HLC_NUMBER_INT64}, ones.data(), count)));
  EXPECT_TRUE(ok(hlc_flush_all(segment.raw())));
  segment.barrier();
  const auto *sums = reinterpret_cast<const std::int64_t *>(segment.data());
  for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(sums[i], i * size() + size() * (size() - 1) / 2) << "element " << i;
}

TEST(OtherNodes, are_asked_for_their_own_sizes_and_refuse_what_lies_outside) {
  const std::vector<int> nodes = nodes_of_ranks();
  TestSegment segment(100 + 8 * rank(), 2);
  std::byte data[16] = {};
  for (int r = 0; r < size(); ++r) {
    hlc_segment_info_t info{};
    EXPECT_TRUE(ok(hlc_segment_info(segment.raw(), r, &info)));
    EXPECT_EQ(info.bytes, 100 + 8 * r);
    EXPECT_EQ(info.notifications, 2);
    EXPECT_EQ(info.data == nullptr, nodes[static_cast<std::size_t>(r)] != nodes[static_cast<std::size_t>(rank())]);
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_put(segment.at(r, 99 + 8 * r), data, 2)));
    const std::string words = "within the " + std::to_string(100 + 8 * r) + " bytes of rank " + std::to_string(r);
    EXPECT_NE(std::string(hlc_error_message()).find(words), std::string::npos) << hlc_error_message();
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_get(segment.at(r, -1), data, 1)));
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_accumulate(segment.at(r, 96 + 8 * r), {HLC_OP_SUM, HLC_NUMBER_INT64}, data, 1)));
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_atomic_fetch_add(segment.at(r, 4), HLC_NUMBER_INT64, 1, nullptr)));
  }
}

/// Segments are made and freed while some ranks are late, with puts under way until the end.
TEST(OtherNodes, may_be_late_when_a_segment_is_freed) {
  const int far = far_rank();
  Skew skew(11);
  for (int round = 1; round <= 15; ++round) {
    TestSegment segment(8 * size(), size());
    const std::int64_t word = 1000 * round + rank();
    for (int to = 0; to < size(); ++to) {
      EXPECT_TRUE(ok(hlc_put_notify(segment.at(to, 8 * rank()), &word, 8, {rank(), 1})));
    }
    skew.delay();
    int id = -1;
    EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {far, 1}, &id)));
    std::int64_t theirs = 0;
    std::copy_n(segment.data() + 8 * id, 8, reinterpret_cast<std::byte *>(&theirs));
    EXPECT_EQ(theirs, 1000 * round + id);
    skew.delay();
  }
}

/// The count increases as puts return. Waits until it has reached `enough`, at most 10 s, and then until it no longer changes.
int settled(const std::atomic<int> &count, int enough) {
  using namespace std::chrono_literals;
  for (int tries = 0; tries < 1000 && count < enough; ++tries) std::this_thread::sleep_for(10ms);
  int before = -1;
  while (count != before) {
    before = count;
    std::this_thread::sleep_for(200ms);
  }
  return before;
}

/// The target has left the library, so that nothing is delivered: then as many puts begin as the pool has requests. When it calls the
/// library again, the rest follow.
TEST(OtherNodes, are_sent_no_more_at_once_than_the_pool_has_requests) {
  constexpr int most_requests = 1024, puts = 3000;
  constexpr std::int64_t bytes = 2056;  // puts of this size are outstanding until they are delivered
  const std::vector<int> nodes = nodes_of_ranks();
  const char *progress = std::getenv("HALOCLINE_PROGRESS");
  if (nodes[0] == nodes.back()) GTEST_SKIP() << "needs ranks on two nodes";
  if (!progress || std::string(progress) != "caller") GTEST_SKIP() << "puts are delivered while the target is not in the library";
  const int target = size() - 1;
  TestSegment segment(rank() == target ? puts * bytes : 0);
  if (std::string(hlc_context_network(context())).rfind("verbs", 0) == 0) GTEST_SKIP() << "the device delivers puts by itself";
  std::vector<std::byte> data(static_cast<std::size_t>(bytes) + puts);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i % 251);
  segment.barrier();
  if (rank() == 0) {
    MPI_Recv(nullptr, 0, MPI_INT, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::atomic<int> count = 0;
    int taken = 0;
    std::thread watcher([&] {
      taken = settled(count, most_requests - 24);
      MPI_Send(nullptr, 0, MPI_INT, target, 0, MPI_COMM_WORLD);
    });
    for (int i = 0; i < puts; ++i, ++count) EXPECT_TRUE(ok(hlc_put(segment.at(target, i * bytes), data.data() + i, bytes)));
    EXPECT_TRUE(ok(hlc_flush(segment.raw(), target)));
    watcher.join();
    EXPECT_LE(taken, most_requests);
    EXPECT_GE(taken, most_requests - 24) << "requests were left";
  } else if (rank() == target) {
    MPI_Send(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  segment.barrier();
  for (int i = 0; rank() == target && i < puts; ++i)
    EXPECT_TRUE(std::equal(data.begin() + i, data.begin() + i + bytes, segment.data() + i * bytes)) << "put " << i;
}

/// More than the network accepts at once, in both directions, from several threads.
TEST(OtherNodes, take_many_small_puts_from_many_threads) {
  constexpr int threads = 3, puts = 1500;
  TestSegment segment(8 * puts * threads);
  const int to = (rank() + 1) % size(), from = (rank() + size() - 1) % size();
  const auto work = [&](int thread) {
    for (int i = 0; i < puts; ++i) {
      const std::int64_t at = thread * puts + i, word = (rank() + 1) * 1'000'000 + at;
      EXPECT_TRUE(ok(hlc_put(segment.at(to, 8 * at), &word, 8)));
    }
    EXPECT_TRUE(ok(hlc_flush(segment.raw(), to)));
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread &other : others) other.join();
  segment.barrier();
  const auto *words = reinterpret_cast<const std::int64_t *>(segment.data());
  for (int i = 0; i < threads * puts; ++i) EXPECT_EQ(words[i], (from + 1) * 1'000'000 + i) << "put " << i;
}

}  // namespace
}  // namespace halocline::test
