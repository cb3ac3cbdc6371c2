// Waits that no rank ends: after HALOCLINE_TIMEOUT seconds they are an error that names what was awaited. Run with HALOCLINE_TIMEOUT=1.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/segments.hpp"

namespace halocline::test {
namespace {

bool said(const std::string &words) { return std::string(hlc_error_message()).find(words) != std::string::npos; }

TEST(Wait, for_a_notification_that_nobody_sends_ends_with_its_ids) {
  TestSegment segment(0, 8);
  int id = -1;
  EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_notify_wait(segment.raw(), {2, 3}, &id)));
  EXPECT_TRUE(said("rank " + std::to_string(rank()) + " timed out after 1 s waiting for a notification of 2 to 4")) << hlc_error_message();
  // The segment can still be used.
  EXPECT_TRUE(ok(hlc_notify(segment.raw(), rank(), {2, 1})));
  EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {2, 3}, &id)));
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Wait, in_a_barrier_to_which_one_rank_does_not_come_ends_with_a_name) {
  if (size() == 1) GTEST_SKIP() << "needs a rank that waits and one that does not come";
  const int missing = size() - 1;
  TestSegment segment(0);
  if (rank() != missing) {
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_barrier(segment.raw())));
    EXPECT_TRUE(said("hlc_barrier: rank " + std::to_string(rank()) + " timed out after 1 s waiting for rank ")) << hlc_error_message();
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_barrier(segment.raw())));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Three nodes: rank 2 has left the library, rank 1 makes a call of the library until rank 0 is done.
bool are_on_three_nodes() {
  const std::vector<int> nodes = nodes_of_ranks();
  return nodes.size() == 3 && nodes[0] != nodes[1] && nodes[1] != nodes[2];
}

void wait_outside() { MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

/// False if rank 0 is not done in time.
template <class Part>
bool until_rank_0_is_done(Part part) {
  const double begin = MPI_Wtime();
  for (int done = 0; !done; part())
    if (MPI_Iprobe(0, 0, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE); !done && MPI_Wtime() - begin > 20) break;
  const bool in_time = MPI_Wtime() - begin < 20;
  wait_outside();
  return in_time;
}

void tell_that_rank_0_is_done() {
  for (const int other : {1, 2}) MPI_Send(nullptr, 0, MPI_INT, other, 0, MPI_COMM_WORLD);
}

TEST(OtherNodes, that_take_nothing_keep_none_from_the_others) {
  if (!are_on_three_nodes()) GTEST_SKIP() << "needs three nodes of one rank";
  constexpr std::int64_t bytes = 4096;
  // What is put is read until the segment has been freed.
  const std::vector<std::byte> data = bytes_of(rank(), 0, bytes);
  TestSegment segment(bytes, 1);
  if (rank() == 0) {
    hlc_status status = HLC_OK;
    for (int i = 0; i < 3000 && status == HLC_OK; ++i) status = hlc_put(segment.at(2, 0), data.data(), bytes);
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, status));
    EXPECT_TRUE(said("rank 2")) << hlc_error_message();
    std::int64_t old = -1;
    EXPECT_TRUE(ok(hlc_put(segment.at(1, 8), data.data(), 8)));
    EXPECT_TRUE(ok(hlc_flush(segment.raw(), 1)));
    EXPECT_TRUE(ok(hlc_atomic_fetch_add(segment.at(1, 0), HLC_NUMBER_INT64, 1, &old)));
    EXPECT_EQ(old, 0);
    tell_that_rank_0_is_done();
  } else if (rank() == 1) {
    int id = -1;
    until_rank_0_is_done([&] { EXPECT_TRUE(is_status(HLC_AGAIN, hlc_notify_test(segment.raw(), {0, 1}, &id))); });
  } else {
    wait_outside();
  }
}

TEST(Wait, for_a_rank_of_another_node_ends_in_time_however_much_others_ask) {
  if (!are_on_three_nodes()) GTEST_SKIP() << "needs three nodes of one rank";
  TestSegment segment(8);
  std::int64_t old = 0;
  if (rank() == 0) {
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_atomic_fetch_add(segment.at(2, 0), HLC_NUMBER_INT64, 1, &old)));
    EXPECT_TRUE(said("timed out after 1 s waiting for rank 2 on host ")) << hlc_error_message();
    tell_that_rank_0_is_done();
  } else if (rank() == 1) {
    EXPECT_TRUE(until_rank_0_is_done([&] { (void)hlc_atomic_fetch_add(segment.at(0, 0), HLC_NUMBER_INT64, 1, &old); }));
    EXPECT_GT(old, 0);
  } else {
    wait_outside();
  }
}

}  // namespace
}  // namespace halocline::test
