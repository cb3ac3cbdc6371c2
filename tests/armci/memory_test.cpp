// Allocation: of all ranks, of a group, of one, on a device; and direct access.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "armci_test.hpp"

namespace halocline::test {
namespace {

TEST(ArmciMalloc, returns_the_address_of_each_rank) {
  const GlobalMemory memory(4096);
  std::vector<void *> told(as_index(size()));
  void *mine = memory.mine();
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, told.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  for (int r = 0; r < size(); ++r) EXPECT_NE(memory.of(r), nullptr) << "of rank " << r;
  for (int r = 0; r < size(); ++r) {
    const auto words = words_of(rank(), 1, 8);
    EXPECT_EQ(ARMCI_Put(const_cast<std::uint64_t *>(words.data()), memory.of(r) + 64 * rank(), 64, r), 0);
  }
  ARMCI_Barrier();
  for (int r = 0; r < size(); ++r) EXPECT_EQ(memory.copy_of<std::uint64_t>(as_index(8 * r), 8), words_of(r, 1, 8)) << "from rank " << r;
}

TEST(ArmciMalloc, gives_memory_that_is_aligned_for_every_type) {
  const GlobalMemory first(24), second(1), third(200);
  for (const GlobalMemory *memory : {&first, &second, &third}) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->mine()) % 16, 0u);
}

TEST(ArmciMalloc, takes_another_size_of_each_rank) {
  const auto bytes_at = [](int r) { return 1000L * (r + 1) + 8; };
  const GlobalMemory memory(bytes_at(rank()));
  const long last = bytes_at(next()) - 8;
  long value = 4711 + rank();
  EXPECT_EQ(ARMCI_Put(&value, memory.of(next()) + last, 8, next()), 0);
  ARMCI_Barrier();
  EXPECT_EQ(memory.copy_of<long>(as_index(static_cast<int>(bytes_at(rank()) / 8 - 1)), 1)[0], 4711 + previous());
}

TEST(ArmciMalloc, takes_nothing_of_some_ranks) {
  const long bytes = rank() % 2 == 0 ? 64 : 0;
  std::vector<void *> bases(as_index(size()));
  EXPECT_EQ(ARMCI_Malloc(bases.data(), bytes), 0);
  for (int r = 0; r < size(); r += 2) {
    long value = 100 + rank();
    if (64 >= 8 * (rank() + 1)) {
      EXPECT_EQ(ARMCI_Put(&value, static_cast<long *>(bases[as_index(r)]) + rank(), 8, r), 0);
    }
  }
  ARMCI_Barrier();
  if (bytes > 0) {
    ARMCI_Access_begin(bases[as_index(rank())]);
    for (int r = 0; r < size() && r < 8; ++r) EXPECT_EQ(static_cast<long *>(bases[as_index(rank())])[r], 100 + r);
    ARMCI_Access_end(bases[as_index(rank())]);
  } else {
    EXPECT_EQ(bases[as_index(rank())], nullptr) << "a rank without memory has no address";
  }
  ARMCI_Barrier();
  EXPECT_EQ(ARMCI_Free(bases[as_index(rank())]), 0);
}

/// Many at once, freed in another order; those that stay keep what is in them.
TEST(ArmciMalloc, keeps_allocations_apart) {
  constexpr int count = 24;
  std::vector<std::vector<void *>> bases(count, std::vector<void *>(as_index(size())));
  const auto bytes_at = [](int a) { return 8L * (1 + a * a); };
  for (int a = 0; a < count; ++a) EXPECT_EQ(ARMCI_Malloc(bases[as_index(a)].data(), bytes_at(a)), 0);
  const auto put_all = [&](int every, int step) {
    for (int a = 0; a < count; a += every) {
      auto words = words_of(rank(), as_index(step * 100 + a), as_index(1 + a * a));
      EXPECT_EQ(ARMCI_Put(words.data(), bases[as_index(a)][as_index(next())], static_cast<int>(bytes_at(a)), next()), 0);
    }
    ARMCI_Barrier();
    for (int a = 0; a < count; a += every) {
      void *const mine = bases[as_index(a)][as_index(rank())];
      ARMCI_Access_begin(mine);
      const auto words = words_of(previous(), as_index(step * 100 + a), as_index(1 + a * a));
      EXPECT_EQ(std::memcmp(mine, words.data(), 8 * words.size()), 0) << "allocation " << a;
      ARMCI_Access_end(mine);
    }
    ARMCI_Barrier();
  };
  put_all(1, 1);
  for (int a = 0; a < count; ++a)
    if (a % 3 != 0) {
      EXPECT_EQ(ARMCI_Free(bases[as_index(a)][as_index(rank())]), 0);
    }
  put_all(3, 2);
  for (int a = count - 1; a >= 0; --a)
    if (a % 3 == 0) {
      EXPECT_EQ(ARMCI_Free(bases[as_index(a)][as_index(rank())]), 0);
    }
}

/// Programs allocate for each array that they create: nothing may run out.
TEST(ArmciMalloc, can_be_repeated) {
  for (int turn = 0; turn < 60; ++turn) {
    std::vector<void *> bases(as_index(size()));
    ASSERT_EQ(ARMCI_Malloc(bases.data(), 1000 + turn), 0);
    int value = turn * 10 + rank();
    EXPECT_EQ(ARMCI_Put(&value, bases[as_index(next())], 4, next()), 0);
    ARMCI_Barrier();
    ARMCI_Access_begin(bases[as_index(rank())]);
    EXPECT_EQ(*static_cast<int *>(bases[as_index(rank())]), turn * 10 + previous());
    ARMCI_Access_end(bases[as_index(rank())]);
    ARMCI_Barrier();
    ASSERT_EQ(ARMCI_Free(bases[as_index(rank())]), 0);
  }
}

TEST(ArmciMallocLocal, gives_a_buffer_of_transfers) {
  const GlobalMemory memory(8000);
  auto *const buffer = static_cast<std::uint64_t *>(ARMCI_Malloc_local(8000));
  ASSERT_NE(buffer, nullptr);
  const auto words = words_of(rank(), 7, 1000);
  std::memcpy(buffer, words.data(), 8000);
  EXPECT_EQ(ARMCI_Put(buffer, memory.of(next()), 8000, next()), 0);
  ARMCI_Barrier();
  std::memset(buffer, 0, 8000);
  EXPECT_EQ(ARMCI_Get(memory.mine(), buffer, 8000, rank()), 0);
  EXPECT_EQ(std::memcmp(buffer, words_of(previous(), 7, 1000).data(), 8000), 0);
  EXPECT_EQ(ARMCI_Free_local(buffer), 0);
}

/// A device's name without meaning is ordinary memory.
TEST(ArmciMallocMemdev, gives_memory_of_all_ranks) {
  std::vector<void *> bases(as_index(size()));
  ASSERT_EQ(ARMCI_Malloc_memdev(bases.data(), 256, "dram"), 0);
  long value = 31 + rank();
  EXPECT_EQ(ARMCI_Put(&value, bases[as_index(next())], 8, next()), 0);
  ARMCI_Barrier();
  long got = 0;
  EXPECT_EQ(ARMCI_Get(bases[as_index(rank())], &got, 8, rank()), 0);
  EXPECT_EQ(got, 31 + previous());
  ARMCI_Barrier();
  EXPECT_EQ(ARMCI_Free_memdev(bases[as_index(rank())]), 0);
}

TEST(ArmciAccess, sees_what_was_put_before_the_barrier_and_shows_what_is_stored) {
  const GlobalMemory memory(16);
  for (int turn = 0; turn < 10; ++turn) {
    long value = 1000 * turn + rank();
    EXPECT_EQ(ARMCI_Put(&value, memory.of(next()), 8, next()), 0);
    ARMCI_Barrier();
    ARMCI_Access_begin(memory.mine());
    EXPECT_EQ(memory.words<long>(rank())[0], 1000 * turn + previous());
    memory.words<long>(rank())[1] = 5000 * turn + rank();
    ARMCI_Access_end(memory.mine());
    ARMCI_Barrier();
    long got = 0;
    EXPECT_EQ(ARMCI_Get(memory.words<long>(next()) + 1, &got, 8, next()), 0);
    EXPECT_EQ(got, 5000 * turn + next());
    ARMCI_Barrier();
  }
}

TEST(ArmciUsesShm, is_a_yes_or_a_no) {
  EXPECT_TRUE(ARMCI_Uses_shm() == 0 || ARMCI_Uses_shm() == 1);
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  EXPECT_EQ(ARMCI_Uses_shm_grp(&world), ARMCI_Uses_shm());
  ARMCI_Set_shm_limit(64UL << 20);
}

}  // namespace
}  // namespace halocline::test
