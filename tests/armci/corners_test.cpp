// Corners of the interface: nothing to move, levels without repetitions, segments that overlap, groups of one, messages of a rank to itself,
// notifications, what a rank's own operations see of each other. Some functions are those of Global Arrays' own ARMCI alone.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "armci_test.hpp"

using namespace halocline::test;

namespace {

constexpr int kWords = 64;

TEST(ArmciCorners, nothing_moves_where_any_count_is_zero) {
  GlobalMemory memory(8 * kWords);
  char local[8 * kWords];
  std::memset(local, 0x11, sizeof local);
  double scale = 2;
  int strides[2] = {16, 64};
  for (int zero = 0; zero < 3; ++zero) {
    int count[3] = {8, 3, 2};
    count[zero] = 0;
    EXPECT_EQ(ARMCI_PutS(local, strides, memory.of(next()), strides, count, 2, next()), 0);
    EXPECT_EQ(ARMCI_GetS(memory.of(next()), strides, local, strides, count, 2, next()), 0);
    EXPECT_EQ(ARMCI_AccS(ARMCI_ACC_DBL, &scale, local, strides, memory.of(next()), strides, count, 2, next()), 0);
  }
  EXPECT_EQ(ARMCI_Acc(ARMCI_ACC_INT, &scale, local, memory.of(next()), 0, next()), 0);
  ARMCI_Barrier();
  for (const char byte : memory.copy()) ASSERT_EQ(byte, 0x5a);
  for (const char byte : local) ASSERT_EQ(byte, 0x11);
}

TEST(ArmciCorners, strides_of_no_level_move_contiguous_bytes) {
  GlobalMemory memory(8 * kWords);
  auto words = words_of(rank(), 1, kWords);
  int count[1] = {8 * kWords};
  EXPECT_EQ(ARMCI_PutS(words.data(), nullptr, memory.of(next()), nullptr, count, 0, next()), 0);
  std::vector<std::uint64_t> back(kWords);
  EXPECT_EQ(ARMCI_GetS(memory.of(next()), nullptr, back.data(), nullptr, count, 0, next()), 0);
  EXPECT_EQ(back, words);
  ARMCI_Barrier();
  EXPECT_EQ(memory.copy_of<std::uint64_t>(0, kWords), words_of(previous(), 1, kWords));
}

/// The distance of a level with one repetition is never used, and may be anything.
TEST(ArmciCorners, the_stride_of_a_single_repetition_does_not_count) {
  GlobalMemory memory(8 * kWords);
  auto words = words_of(rank(), 2, kWords);
  int count[4] = {8, 1, 4, 1}, from[3] = {-7, 16, 1 << 30}, to[3] = {5, 64, -1};
  EXPECT_EQ(ARMCI_PutS(words.data(), from, memory.of(next()), to, count, 3, next()), 0);
  ARMCI_Barrier();
  const auto mine = memory.copy_of<std::uint64_t>(0, kWords);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(mine[8 * i], word_of(previous(), 2, 2 * i));
}

/// All sources are added to one place, by every rank, and to places that overlap.
TEST(ArmciAccV, adds_segments_that_overlap) {
  GlobalMemory memory(8 * kWords);
  memory.store<double>(0, std::vector<double>(kWords, 0.0));
  ARMCI_Barrier();
  std::vector<double> ones(8, 1.0);
  double scale = 3;
  void *from[5], *to[5];
  for (int i = 0; i < 5; ++i) {
    from[i] = ones.data();
    to[i] = memory.words<double>(0) + (i < 3 ? 10 : 10 + i);  // elements 10 to 17 three times, 13 to 20, 14 to 21
  }
  armci_giov_t lists[2];
  for (armci_giov_t &list : lists) {
    list.src_ptr_array = from;
    list.dst_ptr_array = to;
    list.bytes = 64;
    list.ptr_array_len = 5;
  }
  EXPECT_EQ(ARMCI_AccV(ARMCI_ACC_DBL, &scale, lists, 2, 0), 0);
  ARMCI_Barrier();
  if (rank() != 0) return;
  const auto sums = memory.copy_of<double>(0, kWords);
  for (int i = 0; i < kWords; ++i) {
    const int times = (i >= 10 && i < 18 ? 3 : 0) + (i >= 13 && i < 21 ? 1 : 0) + (i >= 14 && i < 22 ? 1 : 0);
    EXPECT_EQ(sums[as_index(i)], 2.0 * 3.0 * times * size()) << "element " << i;
  }
}

/// Puts, gets and accumulates of one process to one place take effect in their order, also if their kinds and widths differ.
TEST(ArmciOrder, holds_for_one_place_across_kinds_of_operations) {
  GlobalMemory memory(8 * kWords);
  std::vector<std::vector<double>> sources(50, std::vector<double>(kWords));
  std::vector<double> got(kWords);
  double one = 1;
  int count[2] = {8, kWords / 2}, apart[1] = {16}, joined[1] = {8};
  auto *const there = memory.words<double>(next());
  for (std::size_t step = 0; step < sources.size(); ++step) {
    auto &source = sources[step];
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = 1000.0 * static_cast<double>(step) + static_cast<double>(i) + rank();
    EXPECT_EQ(ARMCI_NbPut(source.data(), there, 8 * kWords, next(), nullptr), 0);
    EXPECT_EQ(ARMCI_NbAcc(ARMCI_ACC_DBL, &one, source.data(), there, 8 * kWords, next(), nullptr), 0);
    EXPECT_EQ(ARMCI_NbPutS(source.data(), joined, there, apart, count, 1, next(), nullptr), 0);  // every other element
    EXPECT_EQ(ARMCI_Get(there, got.data(), 8 * kWords, next()), 0);
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], i % 2 == 0 ? source[i / 2] : 2 * source[i]) << "step " << step << ", element " << i;
  }
  ARMCI_WaitAll();
  ARMCI_Barrier();
}

TEST(ArmciNotify, comes_after_the_data_and_counts) {
  GlobalMemory memory(8 * kWords);
  for (int step = 1; step <= 20; ++step) {
    auto words = words_of(rank(), static_cast<std::uint64_t>(step), kWords);
    EXPECT_EQ(ARMCI_Put(words.data(), memory.of(next()), 8 * kWords, next()), 0);
    EXPECT_EQ(armci_notify(next()), step);
    int count = 0;
    EXPECT_EQ(armci_notify_wait(previous(), &count), 0);
    EXPECT_EQ(count, step);
    ASSERT_EQ(memory.copy_of<std::uint64_t>(0, kWords), words_of(previous(), static_cast<std::uint64_t>(step), kWords)) << "step " << step;
    ARMCI_Barrier();
  }
}

TEST(ArmciPutSFlagDir, arrives_after_the_section_it_announces) {
  GlobalMemory memory(8 * kWords);
  memory.fill(0);
  ARMCI_Barrier();
  auto words = words_of(rank(), 3, kWords);
  int count[2] = {8, 20}, from[1] = {8}, to[1] = {16};
  auto *const flag = reinterpret_cast<int *>(memory.of(next()) + 8 * (kWords - 1));
  EXPECT_EQ(ARMCI_PutS_flag_dir(words.data(), from, memory.of(next()), to, count, 1, flag, rank() + 7, next()), 0);
  int seen = 0;
  while (seen == 0) ARMCI_Get(memory.mine() + 8 * (kWords - 1), &seen, sizeof seen, rank());
  EXPECT_EQ(seen, previous() + 7);
  const auto mine = memory.copy_of<std::uint64_t>(0, kWords);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(mine[2 * i], word_of(previous(), 3, i));
}

TEST(ArmciGroupFence, completes_what_was_put_at_the_members) {
  GlobalMemory memory(8 * kWords);
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  auto words = words_of(rank(), 4, kWords);
  EXPECT_EQ(ARMCI_NbPut(words.data(), memory.of(next()), 8 * kWords, next(), nullptr), 0);
  ARMCI_GroupFence(&world);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(memory.copy_of<std::uint64_t>(0, kWords), words_of(previous(), 4, kWords));
}

/// A group of one: its allocations, sums and fences are the rank's own, and others need not take part.
TEST(ArmciGroupOfOne, does_all_that_groups_do) {
  if (rank() == size() - 1) {
    int me = rank(), position = -1, members = 0;
    ARMCI_Group alone;
    ARMCI_Group_create(1, &me, &alone);
    EXPECT_EQ(ARMCI_Group_rank(&alone, &position), 0);
    ARMCI_Group_size(&alone, &members);
    EXPECT_EQ(position, 0);
    EXPECT_EQ(members, 1);
    EXPECT_EQ(ARMCI_Absolute_id(&alone, 0), me);
    int relation = MPI_UNEQUAL;
    MPI_Comm_compare(armci_group_comm(&alone), MPI_COMM_SELF, &relation);
    EXPECT_EQ(relation, MPI_CONGRUENT);
    void *base = nullptr;
    EXPECT_EQ(ARMCI_Malloc_group(&base, 64, &alone), 0);
    long word = 5, old = 0;
    EXPECT_EQ(ARMCI_Put(&word, base, 8, me), 0);
    EXPECT_EQ(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, base, 2, me), 0);
    EXPECT_EQ(old, 5);
    ARMCI_GroupFence(&alone);
    char plus[] = "+";
    armci_msg_group_lgop(&word, 1, plus, &alone);
    EXPECT_EQ(word, 5);
    armci_msg_group_barrier(&alone);
    EXPECT_EQ(ARMCI_Free_group(base, &alone), 0);
    ARMCI_Group_free(&alone);
  }
  ARMCI_Barrier();
}

/// Global Arrays' ghost update sends itself messages, and receives them later.
TEST(ArmciMsgSnd, of_a_rank_to_itself_does_not_wait) {
  std::vector<std::uint64_t> large = words_of(rank(), 5, 200000), small = words_of(rank(), 6, 3), got(200000);
  armci_msg_snd(11, large.data(), static_cast<int>(8 * large.size()), rank());
  armci_msg_snd(12, small.data(), static_cast<int>(8 * small.size()), rank());
  std::vector<std::uint64_t> first = words_of(rank(), 7, 3);
  armci_msg_snd(11, first.data(), static_cast<int>(8 * first.size()), rank());
  int length = 0;
  EXPECT_EQ(armci_msg_rcvany(12, got.data(), static_cast<int>(8 * got.size()), &length), rank());
  EXPECT_EQ(length, 24);
  EXPECT_TRUE(std::equal(small.begin(), small.end(), got.begin()));
  armci_msg_rcv(11, got.data(), static_cast<int>(8 * got.size()), nullptr, rank());
  EXPECT_EQ(got, large);
  armci_msg_rcv(11, got.data(), static_cast<int>(8 * got.size()), &length, rank());
  EXPECT_EQ(length, 24);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), got.begin()));
}

TEST(ArmciMsgGop, of_integers_has_the_operations_on_bits_and_truths) {
  const auto reduce = [](const char *op, int value) {
    std::string name = op;
    armci_msg_igop(&value, 1, name.data());
    return value;
  };
  const int last = size() - 1, all = (1 << size()) - 1;
  for (const char *op : {"bor", "|", "or"}) EXPECT_EQ(reduce(op, 1 << rank()), all) << op;
  for (const char *op : {"band", "&"}) EXPECT_EQ(reduce(op, ~(1 << rank())) & all, 0) << op;
  for (const char *op : {"lor", "||"})
    EXPECT_NE(reduce(op, rank() == last ? 6 : 0), 0) << op;  // MPI leaves the number of a single rank as it is
  for (const char *op : {"land", "&&"}) {
    EXPECT_EQ(reduce(op, rank() == last ? 0 : 6), 0) << op;
    EXPECT_NE(reduce(op, 6 + rank()), 0) << op;
  }
}

TEST(ArmciExchangeAddress, gives_all_ranks_the_addresses_of_all) {
  std::vector<void *> addresses(as_index(size()), nullptr);
  addresses[as_index(rank())] = reinterpret_cast<void *>(as_index(1000 + rank()));
  armci_exchange_address(addresses.data(), size());
  for (int r = 0; r < size(); ++r) EXPECT_EQ(reinterpret_cast<std::size_t>(addresses[as_index(r)]), as_index(1000 + r));
}

/// Memory that one rank allocates alone, and another attaches.
TEST(ArmciMemget, is_reached_by_a_rank_that_attaches_it) {
  armci_meminfo_t info{};
  if (rank() == 0) ARMCI_Memget(8 * kWords, &info, 0);
  armci_msg_bcast(&info, sizeof info, 0);
  auto *const base = static_cast<std::uint64_t *>(rank() == 0 ? static_cast<void *>(info.armci_addr) : ARMCI_Memat(&info, 0));
  auto words = words_of(rank(), 8, 1);
  EXPECT_EQ(ARMCI_Put(words.data(), base + rank(), 8, 0), 0);
  ARMCI_Barrier();
  for (int r = 0; rank() == 0 && r < size(); ++r)
    EXPECT_EQ(reinterpret_cast<std::uint64_t *>(info.addr)[r], word_of(r, 8, 0)) << "rank " << r;
  ARMCI_Barrier();
  if (rank() != 0) ARMCI_Memdt(&info, 0);
  ARMCI_Barrier();
  if (rank() == 0) ARMCI_Memctl(&info);
}

TEST(ArmciWait, of_a_handle_that_began_nothing_returns) {
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  EXPECT_EQ(ARMCI_Test(&handle), 0);
  EXPECT_EQ(ARMCI_Wait(&handle), 0);
  EXPECT_EQ(ARMCI_Wait(&handle), 0);
  EXPECT_EQ(ARMCI_WaitProc(next()), 0);
  ARMCI_Fence(rank());
  ARMCI_AllFence();
}

}  // namespace
