// GASPI 17.1, section 6: groups that are deleted while a collective call of theirs is not over, and those that are made in their place.
// They leave handles that no group gets again, and so are tested last.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <thread>

#include "gaspi_test.hpp"

namespace halocline::test {
namespace {

/// Defines the group of ranks 0 and 1.
gaspi_group_t make_pair() {
  gaspi_group_t group = 0;
  EXPECT_TRUE(succeeds(gaspi_group_create(&group)));
  for (gaspi_rank_t member = 0; member < 2; ++member) EXPECT_TRUE(succeeds(gaspi_group_add(group, member)));
  return group;
}
void remove(gaspi_group_t group) { EXPECT_TRUE(succeeds(gaspi_group_delete(group))); }

/// Rank 1 is late for each of some barriers, and writes before it; rank 0 must find what it wrote.
void expect_to_meet(const Segment &segment, gaspi_group_t group, std::uint64_t step) {
  for (std::uint64_t i = 0; i < 8; ++i) {
    if (rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      segment.words()[i] = word_of(1, step, i);
      EXPECT_TRUE(succeeds(gaspi_write(0, 8 * i, 0, 0, 8 * i, 8, 0, GASPI_BLOCK)));
      wait_for(0);
    }
    ASSERT_TRUE(succeeds(gaspi_barrier(group, GASPI_BLOCK)));
    EXPECT_EQ(segment.words()[i], word_of(1, step, i)) << "barrier " << i;
  }
}

TEST(GaspiGroupDeleted, that_is_new_meets_though_a_member_is_late_for_the_old_one) {
  const Segment segment(64);
  if (size() > 1 && rank() < 2) {
    gaspi_group_t group = make_pair();
    EXPECT_TRUE(succeeds(gaspi_group_commit(group, GASPI_BLOCK)));
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(succeeds(gaspi_barrier(group, GASPI_BLOCK)));
    if (rank() == 0) {
      EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_barrier(group, GASPI_TEST)));
      remove(group);
      group = make_pair();
      // Rank 1 may know of the group from now on.
      EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_group_commit(group, GASPI_TEST)));
      EXPECT_TRUE(succeeds(gaspi_notify(0, 1, 0, 1, 0, GASPI_BLOCK)));
    } else {
      EXPECT_EQ(take(0, 0), 1u);
      EXPECT_TRUE(succeeds(gaspi_barrier(group, GASPI_BLOCK)));
      remove(group);
      group = make_pair();
    }
    EXPECT_TRUE(succeeds(gaspi_group_commit(group, GASPI_BLOCK)));
    expect_to_meet(segment, group, 1);
    remove(group);
  }
  barrier();
}

TEST(GaspiGroupDeleted, is_committed_after_a_commit_that_was_given_up) {
  const Segment segment(64);
  for (std::uint64_t step = 1; step <= 2; ++step) {
    gaspi_group_t group = 0;
    const bool takes_part = size() > 1 && rank() < 2;
    if (takes_part) group = make_pair();
    if (takes_part && rank() == 0) {
      EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_group_commit(group, 20)));
      remove(group);
      group = make_pair();
    }
    barrier();
    if (takes_part) {
      EXPECT_TRUE(succeeds(gaspi_group_commit(group, 20'000)));
      expect_to_meet(segment, group, step);
      remove(group);
    }
    barrier();
  }
}

/// Rank 0 abandons the commit when its own part of it is done.
TEST(GaspiGroupDeleted, is_committed_after_a_commit_that_one_has_given_up_and_the_other_completed) {
  const Segment segment(64);
  gaspi_group_t group = 0;
  const bool takes_part = size() > 1 && rank() < 2;
  if (takes_part) group = make_pair();
  if (takes_part && rank() == 1) {
    EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_group_commit(group, GASPI_TEST)));
  }
  barrier();
  if (takes_part && rank() == 0) {
    EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_group_commit(group, 200)));
    remove(group);
  }
  barrier();
  if (takes_part && rank() == 1) {
    // On a slow machine rank 0 may have abandoned it before.
    static_cast<void>(gaspi_group_commit(group, 500));
    remove(group);
  }
  barrier();
  if (takes_part) {
    group = make_pair();
    EXPECT_TRUE(succeeds(gaspi_group_commit(group, 20'000)));
    expect_to_meet(segment, group, 3);
    remove(group);
  }
  barrier();
}

}  // namespace
}  // namespace halocline::test
