// Segments whose notifications the ranks of a node share (GASPI_Ext.h).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <GASPI_Ext.h>

#include <algorithm>
#include <vector>

#include "engine/segments.hpp"
#include "gaspi_test.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

constexpr gaspi_segment_id_t kSegment = 3;

gaspi_return_t create(gaspi_size_t bytes, gaspi_alloc_t policy, gaspi_group_t group = GASPI_GROUP_ALL) {
  return gaspi_segment_create(kSegment, bytes, group, GASPI_BLOCK, policy);
}

class GaspiShared : public testing::Test {
 protected:
  int node_of(int r) const { return nodes_.of(r); }
  void end() {
    barrier();
    EXPECT_TRUE(succeeds(gaspi_segment_delete(kSegment)));
  }

  Nodes nodes_;
  const std::vector<int> &mine_ = nodes_.mine();
};

TEST_F(GaspiShared, notifications_are_taken_once_by_whichever_rank_of_the_node_asks_first) {
  EXPECT_TRUE(succeeds(create(64, GASPI_MEM_SHARED | GASPI_MEM_INITIALIZED)));
  const int each = times(400), all = each * size();
  std::vector<int> taken(static_cast<std::size_t>(all));
  const auto value_of = [](int id) { return static_cast<gaspi_notification_t>(id + 1); };
  gaspi_atomic_value_t count = 0;
  const gaspi_rank_t counter = as_rank(mine_.front());
  const auto take_some = [&] {
    gaspi_notification_id_t id = 0;
    gaspi_notification_t value = 0;
    // All 65,536 are polled, though few are used.
    while (gaspi_notify_waitsome(kSegment, 0, 65536, &id, GASPI_TEST) == GASPI_SUCCESS) {
      EXPECT_TRUE(succeeds(gaspi_notify_reset(kSegment, id, &value)));
      if (value == 0) continue;  // another rank was faster
      EXPECT_EQ(value, value_of(id));
      taken[id] += 1;
      EXPECT_TRUE(succeeds(gaspi_atomic_fetch_add(kSegment, 0, counter, 1, &count, GASPI_BLOCK)));
    }
  };
  Skew skew(9);
  for (int k = 0; k < each; ++k) {
    const int id = rank() * each + k;
    for (int node = 0; node < nodes_.count(); ++node)
      EXPECT_TRUE(succeeds(gaspi_notify(kSegment, as_rank(nodes_.some_rank_of(node, rank() + k)), static_cast<gaspi_notification_id_t>(id),
                                        value_of(id), 0, GASPI_BLOCK)));
    if (k % 16 == 0) wait_for(0), skew.delay();
    take_some();
  }
  wait_for(0);
  while (count < static_cast<gaspi_atomic_value_t>(all)) {
    take_some();
    EXPECT_TRUE(succeeds(gaspi_atomic_fetch_add(kSegment, 0, counter, 0, &count, GASPI_BLOCK)));
  }
  barrier();
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, node_of(rank()), rank(), &node);
  MPI_Allreduce(MPI_IN_PLACE, taken.data(), all, MPI_INT, MPI_SUM, node);
  MPI_Comm_free(&node);
  EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), all);
  end();
}

TEST_F(GaspiShared, notifications_tell_another_rank_of_the_node_that_the_data_are_there) {
  constexpr std::uint64_t words = 50;
  EXPECT_TRUE(succeeds(create(2 * words * 8, GASPI_MEM_SHARED)));
  // Notifications of rank t are waited for and read by the rank after t on its node.
  const auto here = std::find(mine_.begin(), mine_.end(), rank());
  const int watched = here == mine_.begin() ? mine_.back() : *(here - 1);
  const int origin = (watched + size() - 1) % size();
  gaspi_pointer_t own = nullptr, data = nullptr;
  EXPECT_TRUE(succeeds(gaspi_segment_ptr(kSegment, &own)));
  EXPECT_TRUE(succeeds(gaspi_segment_ptr_of(kSegment, as_rank(watched), &data)));
  ASSERT_NE(data, nullptr);
  for (std::uint64_t step = 1; step <= static_cast<std::uint64_t>(times(100)); ++step) {
    for (std::uint64_t i = 0; i < words; ++i) static_cast<std::uint64_t *>(own)[i] = word_of(rank(), step, i);
    EXPECT_TRUE(succeeds(gaspi_write_notify(kSegment, 0, next(), kSegment, words * 8, words * 8, next(),
                                            static_cast<gaspi_notification_t>(step), 0, GASPI_BLOCK)));
    EXPECT_EQ(take(kSegment, static_cast<gaspi_notification_id_t>(watched)), step);
    expect_words(static_cast<std::uint64_t *>(data) + words, words, origin, step);
    wait_for(0);
    barrier();
  }
  end();
}

TEST_F(GaspiShared, memory_of_ranks_of_other_nodes_has_no_address) {
  gaspi_pointer_t pointer = &pointer;
  EXPECT_TRUE(succeeds(create(128, GASPI_MEM_SHARED)));
  for (int r = 0; r < size(); ++r) {
    EXPECT_TRUE(succeeds(gaspi_segment_ptr_of(kSegment, as_rank(r), &pointer)));
    EXPECT_EQ(pointer != nullptr, node_of(r) == node_of(rank())) << r;
  }
  end();
}

TEST_F(GaspiShared, brought_memory_has_an_address_for_its_owner_alone) {
  const char *progress = std::getenv("HALOCLINE_PROGRESS");
  if (progress && std::string(progress) == "helper") GTEST_SKIP() << "a helper process cannot reach memory that a program brings";
  std::vector<std::uint64_t> brought(16);
  gaspi_pointer_t pointer = &pointer;
  EXPECT_TRUE(succeeds(gaspi_segment_use(kSegment, brought.data(), 128, GASPI_GROUP_ALL, GASPI_BLOCK, 0)));
  for (int r = 0; r < size(); ++r) {
    EXPECT_TRUE(succeeds(gaspi_segment_ptr_of(kSegment, as_rank(r), &pointer)));
    EXPECT_EQ(pointer, r == rank() ? static_cast<void *>(brought.data()) : nullptr);
  }
  end();
}

TEST_F(GaspiShared, addresses_stay_good_while_other_segments_are_registered) {
  EXPECT_TRUE(succeeds(create(128, GASPI_MEM_SHARED)));
  Segment other(64, 5);
  const auto behind = std::upper_bound(mine_.begin(), mine_.end(), rank());
  const int neighbour = behind == mine_.end() ? mine_.front() : *behind;
  gaspi_pointer_t pointer = nullptr;
  EXPECT_TRUE(succeeds(gaspi_segment_ptr_of(kSegment, as_rank(neighbour), &pointer)));
  for (int r = 0; r < size(); ++r) EXPECT_TRUE(succeeds(gaspi_segment_register(5, as_rank(r), GASPI_BLOCK)));
  barrier();
  EXPECT_TRUE(succeeds(gaspi_notify(5, next(), 1, 1, 0, GASPI_BLOCK)));  // looks everything up anew
  EXPECT_EQ(take(5, 1), 1u);
  static_cast<std::uint64_t *>(pointer)[3] = word_of(rank(), 1, 3);
  barrier();
  gaspi_pointer_t own = nullptr;
  EXPECT_TRUE(succeeds(gaspi_segment_ptr(kSegment, &own)));
  const auto here = std::find(mine_.begin(), mine_.end(), rank());
  EXPECT_EQ(static_cast<std::uint64_t *>(own)[3], word_of(here == mine_.begin() ? mine_.back() : *(here - 1), 1, 3));
  end();
}

TEST_F(GaspiShared, notifications_outlive_the_segment_of_the_rank_that_has_brought_them) {
  EXPECT_TRUE(succeeds(create(64, GASPI_MEM_SHARED)));
  const bool leads = rank() == mine_.front();
  if (leads) {
    EXPECT_TRUE(succeeds(gaspi_segment_delete(kSegment)));
    // Another segment of that id, unknown to the other ranks.
    EXPECT_TRUE(succeeds(gaspi_segment_alloc(kSegment, 64, GASPI_MEM_INITIALIZED)));
  }
  barrier();
  if (mine_.size() > 1 && rank() == mine_.back()) {
    EXPECT_TRUE(succeeds(gaspi_notify(kSegment, as_rank(mine_[1]), 100, 5, 0, GASPI_BLOCK)));
  }
  wait_for(0);
  if (mine_.size() > 1 && rank() == mine_[1]) {
    EXPECT_EQ(take(kSegment, 100), 5u);
  }
  barrier();
  gaspi_notification_id_t id = 0;
  EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_notify_waitsome(kSegment, 0, 65536, &id, GASPI_TEST)));
  end();
}

TEST_F(GaspiShared, segments_of_a_group_share_among_its_ranks) {
  gaspi_group_t group = 0;
  std::vector<int> members;
  for (int r = size() > 1 ? 1 : 0; r < size(); ++r) members.push_back(r);
  if (rank() >= members.front()) {
    EXPECT_TRUE(succeeds(gaspi_group_create(&group)));
    for (const int r : members) EXPECT_TRUE(succeeds(gaspi_group_add(group, as_rank(r))));
    EXPECT_TRUE(succeeds(gaspi_group_commit(group, GASPI_BLOCK)));
    EXPECT_TRUE(succeeds(create(64, GASPI_MEM_SHARED, group)));
    // For the last rank; each rank of its node sees it.
    if (rank() == members.front()) {
      EXPECT_TRUE(succeeds(gaspi_notify(kSegment, as_rank(members.back()), 100, 5, 0, GASPI_BLOCK)));
    }
    wait_for(0);
    if (node_of(rank()) == node_of(members.back())) {
      gaspi_notification_id_t id = 0;
      EXPECT_TRUE(succeeds(gaspi_notify_waitsome(kSegment, 0, 200, &id, GASPI_BLOCK)));
      EXPECT_EQ(id, 100);
    }
    EXPECT_TRUE(succeeds(gaspi_barrier(group, GASPI_BLOCK)));
    EXPECT_TRUE(succeeds(gaspi_segment_delete(kSegment)));
    EXPECT_TRUE(succeeds(gaspi_group_delete(group)));
  }
  barrier();
}

TEST_F(GaspiShared, is_refused_where_ranks_disagree_or_do_not_meet) {
  gaspi_pointer_t pointer = nullptr;
  EXPECT_TRUE(comes_to(GASPI_ERROR, gaspi_segment_alloc(kSegment, 64, GASPI_MEM_SHARED)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_segment_ptr_of(kSegment, as_rank(rank()), &pointer)));
  for (int wrong = 0; size() > 1 && wrong < 2; ++wrong) {
    EXPECT_TRUE(comes_to(GASPI_ERROR, create(64, (rank() == size() - 1) == (wrong == 0) ? GASPI_MEM_SHARED : GASPI_MEM_UNINITIALIZED)));
    EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_segment_ptr(kSegment, &pointer)));
    barrier();
  }
  EXPECT_TRUE(succeeds(create(64, GASPI_MEM_SHARED)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, create(64, GASPI_MEM_SHARED))) << "it is there already";
  EXPECT_TRUE(comes_to(GASPI_ERR_NULLPTR, gaspi_segment_ptr_of(kSegment, 0, nullptr)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_RANK, gaspi_segment_ptr_of(kSegment, as_rank(size()), &pointer)));
  end();
}

TEST_F(GaspiShared, segments_may_be_made_with_a_short_timeout_again_and_again) {
  for (int step = 0; step < 10; ++step) {
    gaspi_return_t made = GASPI_TIMEOUT;
    while (made == GASPI_TIMEOUT)
      made = gaspi_segment_create(kSegment, 64, GASPI_GROUP_ALL, step % 2 == 0 ? GASPI_TEST : 1, GASPI_MEM_SHARED);
    EXPECT_TRUE(succeeds(made));
    end();
  }
}

}  // namespace
}  // namespace halocline::test
