// The links behind neighbourhood collectives: many of them, made, freed and made again, in memory that earlier ones have used; for several
// communicators of the same ranks; by threads that take turns; with more edges between two ranks than usual; with a rank that gets no
// communicator of the host; and what is refused before they are used.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <halocline/mpi4.h>

#include "mpi_collective/counted_calls.hpp"
#include "support/mpi_test.hpp"

namespace {

std::atomic<int> failing_dups{0};

}  // namespace

/// In place of the MPI's for the library: so many of the next calls of this rank fail, in which the others take part all the same.
extern "C" [[gnu::visibility("default")]] int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
  static const auto next = reinterpret_cast<decltype(&PMPI_Comm_dup)>(dlsym(RTLD_NEXT, "PMPI_Comm_dup"));
  const int code = next(comm, made);
  if (code != MPI_SUCCESS || failing_dups == 0) return code;
  failing_dups -= 1;
  return MPI_Comm_free(made), MPI_ERR_OTHER;
}

namespace {

using halocline::test::rank;
using halocline::test::size;

int left() { return (rank() + size() - 1) % size(); }
int right() { return (rank() + 1) % size(); }

/// A graph in which each rank has `edges` edges to the next one.
MPI_Comm make_graph(int edges) {
  const std::vector<int> from(static_cast<std::size_t>(edges), left()), to(static_cast<std::size_t>(edges), right());
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, edges, from.data(), MPI_UNWEIGHTED, edges, to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &comm);
  return comm;
}

MPI_Comm make_ring() {
  const int dims[] = {size()}, periods[] = {1};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm);
  return comm;
}

/// `count` numbers to each of two neighbours.
struct Blocks {
  int count;
  std::vector<int> sent, received;
  MPI_Request request = MPI_REQUEST_NULL;

  explicit Blocks(int numbers) : count(numbers), sent(2 * static_cast<std::size_t>(numbers)), received(sent.size()) {}

  static int value(int of, int step, std::size_t i) { return of * 1000003 + step * 1009 + static_cast<int>(i); }
  bool is_over() {
    int over = 0;
    MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    return over != 0;
  }
  void fill(int step) {
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = value(rank(), step, i);
    std::fill(received.begin(), received.end(), -1);
  }
  /// The numbers that are wrong.
  int finish(int step) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const auto half = static_cast<std::size_t>(count);
    int wrong = 0;
    for (std::size_t i = 0; i < half; ++i) {
      wrong += received[i] != value(left(), step, half + i) ? 1 : 0;
      wrong += received[half + i] != value(right(), step, i) ? 1 : 0;
    }
    return wrong;
  }
};

/// The same by a persistent request.
struct Pair : Blocks {
  Pair(MPI_Comm ring, int numbers) : Blocks(numbers) {
    MPI_Neighbor_alltoall_init(sent.data(), count, MPI_INT, received.data(), count, MPI_INT, ring, MPI_INFO_NULL, &request);
  }
  Pair(const Pair &) = delete;
  Pair &operator=(const Pair &) = delete;
  ~Pair() { MPI_Request_free(&request); }

  void start(int step) {
    fill(step);
    MPI_Start(&request);
  }
};

TEST(Links, are_made_where_earlier_ones_have_been) {
  MPI_Comm ring = make_ring();
  for (int round = 0; round < 4; ++round) {
    std::deque<Pair> pairs;
    const int lengths[] = {3, 1500, 1, 40'000, 700};
    for (const int length : lengths) pairs.emplace_back(ring, length + round % 3);
    int wrong = 0;
    for (int step = 0; step < 4; ++step) {
      for (Pair &pair : pairs) pair.start(round * 10 + step);
      for (std::size_t i = pairs.size(); i-- > 0;) wrong += pairs[i].finish(round * 10 + step);
    }
    EXPECT_EQ(wrong, 0) << round;
  }
  MPI_Comm_free(&ring);
}

TEST(Links, are_more_than_fit_into_the_room_of_a_communicator) {
  MPI_Comm ring = make_ring();
  std::deque<Pair> pairs;
  for (int i = 0; i < 70; ++i) pairs.emplace_back(ring, 1 + i % 5 * 50);
  int wrong = 0;
  for (int step = 0; step < 3; ++step) {
    for (Pair &pair : pairs) pair.start(step);
    for (Pair &pair : pairs) wrong += pair.finish(step);
  }
  EXPECT_EQ(wrong, 0);
  pairs.clear();
  MPI_Comm_free(&ring);
}

/// A rank that has freed its request does not write where the other one has yet to read.
TEST(Links, are_not_taken_again_while_a_rank_reads) {
  MPI_Comm ring = make_ring();
  int wrong = 0;
  for (int step = 0; step < 8; ++step) {
    const int length = step % 2 ? 600 : 9;
    std::optional<Pair> earlier(std::in_place, ring, length), later;
    const auto end = [&] {
      wrong += earlier->finish(step);
      earlier.reset();
    };
    earlier->start(step);
    if (rank() % 2 == 0) end();
    later.emplace(ring, length);
    if (rank() % 2 == 0) later->start(step + 100);
    if (rank() % 2 != 0) {
      end();
      later->start(step + 100);
    }
    wrong += later->finish(step + 100);
  }
  EXPECT_EQ(wrong, 0);
  MPI_Comm_free(&ring);
}

/// They are not mixed, whichever is freed first.
TEST(Links, of_several_communicators_are_used_in_any_order) {
  MPI_Comm rings[] = {make_ring(), make_ring(), make_ring()};
  std::deque<Pair> pairs;
  for (int i = 0; i < 6; ++i) pairs.emplace_back(rings[i % 3], 10 + 2500 * i);
  MPI_Comm_free(&rings[0]);
  int wrong = 0;
  for (int step = 0; step < 4; ++step) {
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[step % 2 ? pairs.size() - 1 - i : i].start(step);
    for (Pair &pair : pairs) wrong += pair.finish(step);
  }
  EXPECT_EQ(wrong, 0);
  pairs.clear();
  MPI_Comm again = make_ring();
  Pair last(again, 9);
  last.start(1);
  EXPECT_EQ(last.finish(1), 0);
  MPI_Comm_free(&again);
  for (int i = 1; i < 3; ++i) MPI_Comm_free(&rings[i]);
}

bool shares_contexts() {
  int level = MPI_THREAD_MULTIPLE;
  MPI_Query_thread(&level);
  return level != MPI_THREAD_MULTIPLE;
}

/// Pieces of the library's shared memory that this process has.
int shared_pieces() {
  std::ifstream maps("/proc/self/maps");
  int pieces = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find("/dev/shm/#") != std::string::npos || line.find("/dev/shm/halocline") != std::string::npos) ++pieces;
  return pieces;
}

bool has_several_nodes() {
  const char *const nodes = std::getenv("HALOCLINE_FAKE_NODES");
  return nodes && std::atoi(nodes) > 1;
}

/// What is wrong in one exchange of each.
int wrong_of(std::deque<Pair> &pairs, int step) {
  int wrong = 0;
  for (Pair &pair : pairs) pair.start(step);
  for (Pair &pair : pairs) wrong += pair.finish(step);
  return wrong;
}

/// Communicators of the same ranks have one context where no two threads call MPI at once, and keep it until the next one; else each has its own,
/// which goes with it.
TEST(Links, of_communicators_of_the_same_ranks_share_memory_unless_threads_meet) {
  const int before = shared_pieces();
  MPI_Comm rings[] = {make_ring(), make_ring(), make_ring()};
  std::deque<Pair> pairs;
  pairs.emplace_back(rings[0], 5);
  const int with_one = shared_pieces();
  pairs.emplace_back(rings[1], 9);
  pairs.emplace_back(rings[2], 9);
  const int with_three = shared_pieces();
  EXPECT_EQ(wrong_of(pairs, 3), 0);
  pairs.clear();
  for (MPI_Comm &ring : rings) MPI_Comm_free(&ring);
  const int after = shared_pieces();
  MPI_Comm again = make_ring();
  pairs.emplace_back(again, 4);
  const int with_another = shared_pieces();
  EXPECT_EQ(wrong_of(pairs, 4), 0);
  pairs.clear();
  MPI_Comm_free(&again);
  if (shares_contexts()) {
    EXPECT_EQ(with_three, with_one);
    EXPECT_EQ(after, with_one);
    EXPECT_EQ(with_another, with_one);
  } else if (size() > 1 && !has_several_nodes()) {  // contexts of several nodes are closed later
    EXPECT_GT(with_one, before);
    EXPECT_EQ(with_three - before, 3 * (with_one - before));
    EXPECT_EQ(after, before);
    EXPECT_EQ(with_another, with_one);
  }
}

/// Threads take turns at MPI, in which each makes links on a communicator of its own: of the same ranks, so of one context.
TEST(Links, of_several_threads_that_take_turns_at_MPI) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_SERIALIZED) GTEST_SKIP() << "this MPI has no MPI_THREAD_SERIALIZED";
  constexpr int kThreads = 3, kRounds = 4;
  MPI_Comm rings[kThreads];
  for (MPI_Comm &ring : rings) ring = make_ring();
  std::mutex mpi;
  std::atomic<int> turn{0}, wrong{0};
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::microseconds(50)); };
  const auto work = [&](int me) {
    for (int round = 0; round < kRounds; ++round) {
      while (turn != round * kThreads + me) pause();
      std::unique_lock lock(mpi);
      std::optional<Pair> pair(std::in_place, rings[me], round % 2 ? 7 + me : 6000);
      pair->start(round);
      turn += 1;
      while (!pair->is_over()) {
        lock.unlock();
        pause();
        lock.lock();
      }
      wrong += pair->finish(round);
      pair.reset();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  for (MPI_Comm &ring : rings) MPI_Comm_free(&ring);
}

/// All ranks leave that call to the host. The ranks are not lost: later calls are carried.
TEST(Links, are_left_to_the_host_where_a_rank_gets_no_communicator_for_messages) {
  MPI_Comm ring = make_ring(), graph = make_graph(1);
  if (rank() == size() - 1) failing_dups = 1;
  {
    // With edges beyond the tags of a communicator, links need one of their own, where they need one at all.
    const std::vector<int> from(65, left()), to(65, right());
    MPI_Comm many = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 65, from.data(), MPI_UNWEIGHTED, 65, to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &many);
    const bool any_failed = !halocline::test::everyone(rank() != size() - 1 || failing_dups > 0);
    failing_dups = 0;
    std::optional<halocline::test::LeftToHost> left_to_host;
    if (any_failed) left_to_host.emplace();
    if (has_several_nodes() && size() > 1) {
      EXPECT_TRUE(any_failed);
    }
    std::vector<int> sent(65, rank()), received(65, -1);
    EXPECT_EQ(MPI_Neighbor_alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, many), MPI_SUCCESS);
    EXPECT_EQ(received, std::vector<int>(65, left()));
    MPI_Comm_free(&many);
  }
  std::deque<Pair> pairs;
  pairs.emplace_back(ring, 12);
  EXPECT_EQ(wrong_of(pairs, 1), 0);
  int number = rank(), got = -1;
  EXPECT_EQ(MPI_Neighbor_alltoall(&number, 1, MPI_INT, &got, 1, MPI_INT, graph), MPI_SUCCESS);
  EXPECT_EQ(got, left());
  pairs.clear();
  MPI_Comm_free(&graph);
  MPI_Comm_free(&ring);
}

/// More than there are tags for in one communicator of the host.
TEST(Links, between_two_ranks_are_seventy) {
  constexpr int kEdges = 70, kCount = 33;
  MPI_Comm graph = make_graph(kEdges);
  std::vector<int> sent(kEdges * kCount), received(sent.size(), -1);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = Pair::value(rank(), 5, i);
  MPI_Neighbor_alltoall(sent.data(), kCount, MPI_INT, received.data(), kCount, MPI_INT, graph);
  int wrong = 0;
  for (std::size_t i = 0; i < received.size(); ++i) wrong += received[i] != Pair::value(left(), 5, i) ? 1 : 0;
  EXPECT_EQ(wrong, 0);
  MPI_Comm_free(&graph);
}

/// All ranks find that, and none waits for links. Later ones are made.
TEST(Links, are_left_to_the_host_where_an_edge_has_one_end) {
  const int from[] = {left()}, to[] = {right(), 0};
  const int out = rank() == size() - 1 ? 2 : 1;
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from, MPI_UNWEIGHTED, out, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  MPI_Comm ring = make_ring();
  {
    Pair pair(ring, 7);
    pair.start(2);
    EXPECT_EQ(pair.finish(2), 0);
  }
  MPI_Comm_free(&ring);
  MPI_Comm_free(&graph);
}

int class_of(int code) {
  int found = 0;
  MPI_Error_class(code, &found);
  return found;
}

/// Each rank refuses its own call. A block that goes nowhere needs no address.
TEST(Links, refuse_a_buffer_that_is_null) {
  MPI_Comm ring = make_ring();
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  int numbers[2] = {1, 2}, got[2] = {};
  const int counts[] = {1, 1}, places[] = {0, 1};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Neighbor_alltoall(numbers, 1, MPI_INT, got, 1, MPI_INT, ring);
  EXPECT_EQ(class_of(MPI_Neighbor_alltoall(nullptr, 1, MPI_INT, got, 1, MPI_INT, ring)), MPI_ERR_BUFFER);
  EXPECT_EQ(class_of(MPI_Neighbor_alltoall(numbers, 1, MPI_INT, nullptr, 1, MPI_INT, ring)), MPI_ERR_BUFFER);
  EXPECT_EQ(class_of(MPI_Neighbor_alltoallv(nullptr, counts, places, MPI_INT, got, counts, places, MPI_INT, ring)), MPI_ERR_BUFFER);
  EXPECT_EQ(class_of(MPI_Ineighbor_alltoall(nullptr, 1, MPI_INT, got, 1, MPI_INT, ring, &request)), MPI_ERR_BUFFER);
  EXPECT_EQ(class_of(MPI_Neighbor_alltoall_init(numbers, 1, MPI_INT, nullptr, 1, MPI_INT, ring, MPI_INFO_NULL, &request)), MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Neighbor_alltoall(numbers, 1, MPI_INT, got, 1, MPI_INT, ring), MPI_SUCCESS);
  MPI_Comm_free(&ring);
  const int dims[] = {size()}, periods[] = {0};
  MPI_Comm line = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
  const int ends[] = {rank() > 0 ? 0 : 1, rank() + 1 < size() ? 0 : 1};
  EXPECT_EQ(MPI_Neighbor_alltoallv(nullptr, ends, places, MPI_INT, nullptr, ends, places, MPI_INT, line), MPI_SUCCESS);
  MPI_Comm_free(&line);
}

/// A message that is too long is an error, behind which all other blocks are there, also those that the host brings from another node.
TEST(Links, end_an_exchange_that_fails_once_all_blocks_are_there) {
  constexpr int kLong = 1 << 21;
  MPI_Comm graph = make_graph(2);
  MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
  std::vector<int> sent(kLong + 8), received(sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = Pair::value(rank(), 6, i);
  const int places[] = {0, kLong}, out[] = {kLong, 8};
  for (const int room : {4, 8}) {
    const int in[] = {kLong, room};
    std::fill(received.begin(), received.end(), -1);
    const int code = MPI_Neighbor_alltoallv(sent.data(), out, places, MPI_INT, received.data(), in, places, MPI_INT, graph);
    EXPECT_EQ(class_of(code), room < 8 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    int wrong = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(kLong); ++i) wrong += received[i] != Pair::value(left(), 6, i) ? 1 : 0;
    EXPECT_EQ(wrong, 0);
  }
  MPI_Comm_free(&graph);
}

/// MPI_BOTTOM is the same pointer, with addresses in the datatypes or displacements.
TEST(Links, take_absolute_addresses) {
  MPI_Comm ring = make_ring();
  int numbers[2] = {rank() * 2, rank() * 2 + 1}, got[2] = {-1, -1};
  MPI_Aint from[2], to[2];
  for (int i = 0; i < 2; ++i) MPI_Get_address(&numbers[i], &from[i]), MPI_Get_address(&got[i], &to[i]);
  const int counts[] = {1, 1};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT};
  EXPECT_EQ(MPI_Neighbor_alltoallw(MPI_BOTTOM, counts, from, types, MPI_BOTTOM, counts, to, types, ring), MPI_SUCCESS);
  EXPECT_TRUE(got[0] == left() * 2 + 1 && got[1] == right() * 2);
  MPI_Comm_free(&ring);
}

/// More long messages under way than an edge has slots: each is read by its receiver or put there by its sender, whichever is ready first. What has
/// been received is the program's again, and nothing is put there any more.
TEST(Links, copy_a_long_message_once_if_either_rank_is_late) {
  MPI_Comm ring = make_ring();
  MPI_Neighbor_alltoall(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, ring);
  std::minstd_rand random(static_cast<unsigned>(rank() + 1));
  const auto pause = [&] {
    if (random() % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
  };
  constexpr int kDone = -7;
  int wrong = 0;
  std::int64_t changed = 0;
  for (int step = 0; step < 80; ++step) {
    std::deque<Blocks> all;
    for (const int length : {10'000, 3, 9'000, 40'000, 7, 20'000, 5'000, 10'000}) {
      Blocks &blocks = all.emplace_back(length);
      blocks.fill(step + length);
      pause();
      MPI_Ineighbor_alltoall(blocks.sent.data(), length, MPI_INT, blocks.received.data(), length, MPI_INT, ring, &blocks.request);
    }
    for (Blocks &blocks : all) {
      pause();
      wrong += blocks.finish(step + blocks.count);
      std::fill(blocks.sent.begin(), blocks.sent.end(), kDone);
      std::fill(blocks.received.begin(), blocks.received.end(), kDone);
    }
    MPI_Barrier(ring);
    for (const Blocks &blocks : all)
      changed += static_cast<std::int64_t>(blocks.received.size()) - std::count(blocks.received.begin(), blocks.received.end(), kDone);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(changed, 0);
  MPI_Comm_free(&ring);
}

}  // namespace
