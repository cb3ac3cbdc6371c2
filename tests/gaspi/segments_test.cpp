// GASPI 17.1, sections 5 to 7: processes, groups, segments.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <vector>

#include "gaspi_test.hpp"

namespace halocline::test {
namespace {

TEST(GaspiProcess, has_the_rank_and_the_size_of_mpi) {
  gaspi_rank_t mine = 0, count = 0;
  EXPECT_TRUE(succeeds(gaspi_proc_rank(&mine)));
  EXPECT_TRUE(succeeds(gaspi_proc_num(&count)));
  EXPECT_EQ(mine, rank());
  EXPECT_EQ(count, size());
  EXPECT_TRUE(comes_to(GASPI_ERR_INITED, gaspi_proc_init(GASPI_BLOCK)));
}

TEST(GaspiProcess, finds_all_ranks_healthy_and_connects_to_them) {
  std::vector<gaspi_state_t> states(static_cast<std::size_t>(size()), GASPI_STATE_CORRUPT);
  for (int r = 0; r < size(); ++r) EXPECT_TRUE(succeeds(gaspi_connect(as_rank(r), GASPI_BLOCK)));
  for (int r = 0; r < size(); ++r) EXPECT_TRUE(succeeds(gaspi_disconnect(as_rank(r), GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_state_vec_get(states.data())));
  EXPECT_EQ(std::count(states.begin(), states.end(), GASPI_STATE_HEALTHY), size());
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_RANK, gaspi_connect(as_rank(size()), GASPI_BLOCK)));
  barrier();
}

/// A group of some ranks, on the ranks that are members.
gaspi_group_t make_group(const std::vector<int> &ranks) {
  gaspi_group_t group = 0;
  EXPECT_TRUE(succeeds(gaspi_group_create(&group)));
  for (const int r : ranks) EXPECT_TRUE(succeeds(gaspi_group_add(group, as_rank(r))));
  return group;
}

TEST(GaspiGroup, holds_the_ranks_that_were_added_in_rising_order) {
  std::vector<int> ranks(static_cast<std::size_t>(size()));
  std::iota(ranks.rbegin(), ranks.rend(), 0);
  const gaspi_group_t group = make_group(ranks);
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_RANK, gaspi_group_add(group, as_rank(rank())))) << "twice";
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_RANK, gaspi_group_add(group, as_rank(size()))));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_GROUP, gaspi_barrier(group, GASPI_TEST))) << "before it is committed";
  EXPECT_TRUE(succeeds(gaspi_group_commit(group, GASPI_BLOCK)));
  gaspi_number_t members = 0, groups = 0;
  EXPECT_TRUE(succeeds(gaspi_group_size(group, &members)));
  ASSERT_EQ(members, static_cast<gaspi_number_t>(size()));
  std::vector<gaspi_rank_t> found(members);
  EXPECT_TRUE(succeeds(gaspi_group_ranks(group, found.data())));
  for (int r = 0; r < size(); ++r) EXPECT_EQ(found[static_cast<std::size_t>(r)], r);
  EXPECT_TRUE(succeeds(gaspi_group_num(&groups)));
  EXPECT_EQ(groups, 2u);
  EXPECT_TRUE(succeeds(gaspi_barrier(group, GASPI_BLOCK)));
  EXPECT_TRUE(succeeds(gaspi_group_delete(group)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_GROUP, gaspi_barrier(group, GASPI_BLOCK)));
}

TEST(GaspiGroup, may_have_another_handle_on_each_rank) {
  // Odd ranks have made two groups before, so that the third has another handle there; and two groups with the same members are in use.
  std::vector<gaspi_group_t> before;
  for (int i = 0; i < 2 * (rank() % 2); ++i) before.push_back(make_group({rank()}));
  std::vector<int> ranks(static_cast<std::size_t>(size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  for (int times = 0; times < 3; ++times) {
    const gaspi_group_t group = make_group(ranks);
    EXPECT_EQ(group, 1 + before.size());
    EXPECT_TRUE(succeeds(gaspi_group_commit(group, GASPI_BLOCK)));
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(succeeds(gaspi_barrier(group, GASPI_BLOCK)));
    EXPECT_TRUE(succeeds(gaspi_group_delete(group)));
  }
  for (const gaspi_group_t group : before) EXPECT_TRUE(succeeds(gaspi_group_delete(group)));
  barrier();
}

TEST(GaspiGroup, of_some_ranks_does_not_wait_for_the_others) {
  if (rank() < (size() + 1) / 2) {
    std::vector<int> ranks(static_cast<std::size_t>((size() + 1) / 2));
    std::iota(ranks.begin(), ranks.end(), 0);
    const gaspi_group_t group = make_group(ranks);
    EXPECT_TRUE(succeeds(gaspi_group_commit(group, GASPI_BLOCK)));
    EXPECT_TRUE(succeeds(gaspi_segment_create(3, 64, group, GASPI_BLOCK, GASPI_ALLOC_DEFAULT)));
    EXPECT_TRUE(succeeds(gaspi_barrier(group, GASPI_BLOCK)));
    EXPECT_TRUE(succeeds(gaspi_segment_delete(3)));
    EXPECT_TRUE(succeeds(gaspi_group_delete(group)));
  }
  barrier();
}

TEST(GaspiGroup, runs_out_at_the_limit) {
  gaspi_number_t most = 0;
  gaspi_group_t group = 0;
  EXPECT_TRUE(succeeds(gaspi_group_max(&most)));
  for (gaspi_number_t i = 1; i < most; ++i) EXPECT_TRUE(succeeds(gaspi_group_create(&group)));
  EXPECT_TRUE(comes_to(GASPI_ERR_MANY_GRP, gaspi_group_create(&group)));
  for (gaspi_number_t i = 1; i < most; ++i) EXPECT_TRUE(succeeds(gaspi_group_delete(static_cast<gaspi_group_t>(i))));
}

TEST(GaspiSegment, is_made_of_each_ranks_own_size_and_listed) {
  {
    const Segment one(8 * (static_cast<gaspi_size_t>(rank()) + 1), 5), two(4096, 2);
    gaspi_number_t count = 0;
    gaspi_segment_id_t ids[2] = {};
    gaspi_size_t bytes = 0;
    EXPECT_TRUE(succeeds(gaspi_segment_num(&count)));
    EXPECT_EQ(count, 2u);
    EXPECT_TRUE(succeeds(gaspi_segment_list(2, ids)));
    EXPECT_EQ(ids[0], 2);
    EXPECT_EQ(ids[1], 5);
    EXPECT_TRUE(comes_to(GASPI_ERR_INV_NUM, gaspi_segment_list(3, ids)));
    for (int r = 0; r < size(); ++r) {
      EXPECT_TRUE(succeeds(gaspi_segment_size(5, as_rank(r), &bytes)));
      EXPECT_EQ(bytes, 8 * (static_cast<gaspi_size_t>(r) + 1));
    }
    EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_segment_alloc(5, 8, GASPI_ALLOC_DEFAULT))) << "exists";
    barrier();
  }
  gaspi_pointer_t pointer = nullptr;
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_segment_ptr(5, &pointer)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_segment_delete(5)));
  gaspi_size_t bytes = 0;
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_segment_size(2, as_rank(rank()), &bytes)));
}

TEST(GaspiSegment, that_one_rank_allocates_is_there_for_the_rank_it_is_registered_with) {
  // Again and again under the same id, each time of another size: no rank may use what it knew of the one before.
  const Segment mine(4096, 1);
  for (gaspi_size_t step = 1; step <= 8; ++step) {
    if (rank() == 0) {
      EXPECT_TRUE(succeeds(gaspi_segment_alloc(7, 64 * step, GASPI_MEM_INITIALIZED)));
      for (int r = 0; r < size(); ++r) EXPECT_TRUE(succeeds(gaspi_segment_register(7, as_rank(r), GASPI_BLOCK)));
    }
    barrier();
    gaspi_size_t bytes = 0;
    EXPECT_TRUE(succeeds(gaspi_segment_size(7, 0, &bytes)));
    EXPECT_EQ(bytes, 64 * step);
    const gaspi_offset_t place = 8 * static_cast<gaspi_offset_t>(rank());
    mine.words()[rank()] = word_of(rank(), step, 0);
    if (place < bytes) {
      EXPECT_TRUE(succeeds(gaspi_write(1, place, 0, 7, place, 8, 0, GASPI_BLOCK)));
    }
    wait_for(0);
    barrier();
    if (rank() == 0) {
      gaspi_pointer_t pointer = nullptr;
      EXPECT_TRUE(succeeds(gaspi_segment_ptr(7, &pointer)));
      for (int r = 0; r < std::min(size(), 8); ++r)
        EXPECT_EQ(static_cast<std::uint64_t *>(pointer)[r], word_of(r, step, 0)) << "rank " << r << ", step " << step;
      EXPECT_TRUE(succeeds(gaspi_segment_delete(7)));
    }
    barrier();
  }
}

TEST(GaspiSegment, that_was_not_registered_is_not_there) {
  if (rank() == 0) {
    EXPECT_TRUE(succeeds(gaspi_segment_alloc(9, 64, GASPI_ALLOC_DEFAULT)));
  }
  barrier();
  gaspi_size_t bytes = 0;
  EXPECT_TRUE(comes_to(rank() == 0 ? GASPI_SUCCESS : GASPI_ERR_INV_SEG, gaspi_segment_size(9, 0, &bytes)));
  barrier();
  if (rank() == 0) {
    EXPECT_TRUE(succeeds(gaspi_segment_delete(9)));
  }
}

TEST(GaspiSegment, may_be_memory_of_the_program) {
  hlc_context_info_t info{};
  EXPECT_TRUE(ok(hlc_context_info(context(), &info)));
  const char *progress = std::getenv("HALOCLINE_PROGRESS");
  if (info.nodes > 1 && progress && std::string(progress) == "helper") GTEST_SKIP() << "a helper process does not reach such memory";
  constexpr std::uint64_t count = 5000;
  std::vector<std::uint64_t> memory(2 * count, 0);
  EXPECT_TRUE(succeeds(gaspi_segment_use(4, memory.data(), memory.size() * 8, GASPI_GROUP_ALL, GASPI_BLOCK, 0)));
  gaspi_pointer_t pointer = nullptr;
  EXPECT_TRUE(succeeds(gaspi_segment_ptr(4, &pointer)));
  EXPECT_EQ(pointer, memory.data());
  for (std::uint64_t step = 1; step <= 3; ++step) {
    for (std::uint64_t i = 0; i < count; ++i) memory[i] = word_of(rank(), step, i);
    EXPECT_TRUE(succeeds(gaspi_write_notify(4, 0, next(), 4, 8 * count, 8 * count, 6, 11, 1, GASPI_BLOCK)));
    EXPECT_EQ(take(4, 6), 11u);
    expect_words(memory.data() + count, count, previous(), step);
    wait_for(1);
    barrier();
    EXPECT_TRUE(succeeds(gaspi_read(4, 8 * count, next(), 4, 0, 8 * count, 1, GASPI_BLOCK)));
    wait_for(1);
    expect_words(memory.data() + count, count, next(), step);
    EXPECT_TRUE(succeeds(gaspi_notify(4, next(), 8, 3, 1, GASPI_BLOCK))) << "without data";
    EXPECT_EQ(take(4, 8), 3u);
    barrier();
  }
  wait_for(1);
  EXPECT_TRUE(succeeds(gaspi_segment_delete(4)));
}

TEST(GaspiSegment, refuses_what_it_cannot_be) {
  gaspi_number_t most = 0;
  EXPECT_TRUE(succeeds(gaspi_segment_max(&most)));
  const auto beyond = static_cast<gaspi_segment_id_t>(most);
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_segment_alloc(beyond, 8, GASPI_ALLOC_DEFAULT)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEGSIZE, gaspi_segment_alloc(0, 0, GASPI_ALLOC_DEFAULT)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEGSIZE, gaspi_segment_create(0, 0, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_ALLOC_DEFAULT)));
  EXPECT_TRUE(comes_to(GASPI_ERR_NULLPTR, gaspi_segment_bind(0, nullptr, 8, 0)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_GROUP, gaspi_segment_create(0, 8, 9, GASPI_BLOCK, GASPI_ALLOC_DEFAULT)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_SEG, gaspi_segment_register(0, 0, GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_NULLPTR, gaspi_segment_ptr(0, nullptr)));
}

int nodes() {
  hlc_context_info_t info{};
  EXPECT_TRUE(ok(hlc_context_info(context(), &info)));
  return info.nodes;
}

/// Rank 0 uses the segment of the last rank for the first time, while the last rank waits inside MPI.
template <class Use>
void use_while_its_rank_is_inside_mpi(Use use) {
  if (nodes() == 1) GTEST_SKIP() << "ranks of a node need no answer";
  const Segment segment(64);
  const int last = size() - 1;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() == last) MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank() != 0) return;
  use(segment, as_rank(last));
  MPI_Send(nullptr, 0, MPI_INT, last, 0, MPI_COMM_WORLD);
}

TEST(GaspiFirstUse, is_a_write_that_needs_no_answer) {
  use_while_its_rank_is_inside_mpi([](const Segment &segment, gaspi_rank_t target) {
    EXPECT_TRUE(succeeds(gaspi_write(segment.id(), 0, target, segment.id(), 8, 8, 0, 5000)));
    EXPECT_TRUE(succeeds(gaspi_wait(0, 5000)));
  });
}

TEST(GaspiFirstUse, may_be_a_read_or_an_atomic_of_a_rank_inside_MPI) {
  use_while_its_rank_is_inside_mpi([](const Segment &segment, gaspi_rank_t target) {
    gaspi_atomic_value_t old = 1;
    EXPECT_TRUE(succeeds(gaspi_read(segment.id(), 0, target, segment.id(), 8, 8, 0, 5000)));
    EXPECT_TRUE(succeeds(gaspi_wait(0, 5000)));
    EXPECT_TRUE(succeeds(gaspi_atomic_fetch_add(segment.id(), 16, target, 5, &old, 5000)));
    EXPECT_EQ(old, 0u);
  });
}

TEST(GaspiSegment, that_one_rank_has_no_memory_for_is_made_on_none) {
  const bool asks_too_much = rank() == size() - 1;
  const gaspi_return_t made =
      gaspi_segment_create(0, asks_too_much ? gaspi_size_t{1} << 40 : 64, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_ALLOC_DEFAULT);
  EXPECT_TRUE(comes_to(asks_too_much ? GASPI_ERR_MEMALLOC : GASPI_ERROR, made));
  gaspi_number_t count = 9;
  EXPECT_TRUE(succeeds(gaspi_segment_num(&count)));
  EXPECT_EQ(count, 0u);
  const Segment again(64);
}

}  // namespace
}  // namespace halocline::test
