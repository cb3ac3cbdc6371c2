// Setup, queries, and symmetric memory.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <string>
#include <vector>

#include "core_test.hpp"

namespace halocline::test {
namespace {

/// The least and the most of a number of all PEs.
struct Ends {
  long least = 0, most = 0;
};

Ends ends_of(long mine) {
  Ends ends;
  MPI_Allreduce(&mine, &ends.least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &ends.most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  return ends;
}

/// A block's distance from another: the same on all PEs, although their addresses differ.
long distance(const void *block, const void *from) {
  return static_cast<long>(static_cast<const char *>(block) - static_cast<const char *>(from));
}

TEST(ShmemSetup, numbers_the_pes_as_mpi_does) {
  EXPECT_EQ(shmem_my_pe(), rank());
  EXPECT_EQ(shmem_n_pes(), size());
  int level = -1;
  shmem_query_thread(&level);
  EXPECT_EQ(level, SHMEM_THREAD_MULTIPLE);
}

TEST(ShmemSetup, tells_version_and_name) {
  int major = 0, minor = 0;
  char name[SHMEM_MAX_NAME_LEN] = "";
  shmem_info_get_version(&major, &minor);
  shmem_info_get_name(name);
  EXPECT_EQ(major, 1);
  EXPECT_EQ(minor, 5);
  EXPECT_STREQ(name, SHMEM_VENDOR_STRING);
}

TEST(ShmemSetup, knows_which_pes_and_addresses_are_accessible) {
  const Words words(4);
  static long variable = 0;
  long local = 0;
  EXPECT_EQ(shmem_pe_accessible(0), 1);
  EXPECT_EQ(shmem_pe_accessible(size() - 1), 1);
  EXPECT_EQ(shmem_pe_accessible(size()), 0);
  EXPECT_EQ(shmem_pe_accessible(-1), 0);
  EXPECT_EQ(shmem_addr_accessible(words.get(), next()), 1);
  EXPECT_EQ(shmem_addr_accessible(&variable, next()), 1);
  EXPECT_EQ(shmem_addr_accessible(&local, next()), 0);
  EXPECT_EQ(shmem_addr_accessible(words.get(), size()), 0);
  EXPECT_EQ(shmem_ptr(&local, rank()), nullptr);
  EXPECT_EQ(shmem_ptr(words.get(), rank()), words.get());
  EXPECT_EQ(shmem_ptr(&variable, rank()), &variable);
}

TEST(ShmemHeap, has_the_same_offsets_on_all_pes) {
  void *first = shmem_malloc(8);
  void *small = shmem_malloc(1), *large = shmem_malloc(1'000'000), *aligned = shmem_align(4096, 100);
  for (const void *block : {small, large, aligned}) {
    ASSERT_NE(block, nullptr);
    const Ends ends = ends_of(distance(block, first));
    EXPECT_EQ(ends.least, ends.most);
  }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 4096, 0u);
  std::memset(large, rank() + 1, 1'000'000);
  for (void *block : {small, first, aligned, large}) shmem_free(block);
  void *again = shmem_malloc(8);
  EXPECT_EQ(again, first);
  shmem_free(again);
  shmem_free(nullptr);
}

TEST(ShmemHeap, aligns_to_huge_pages_and_has_no_larger_alignment) {
  void *before = shmem_malloc(1);
  for (std::size_t alignment = 8; alignment <= std::size_t{2} << 20; alignment *= 2) {
    void *block = shmem_align(alignment, 100);
    ASSERT_NE(block, nullptr) << alignment;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u) << alignment;
    const Ends ends = ends_of(distance(block, before));
    EXPECT_EQ(ends.least, ends.most) << alignment;
    shmem_free(block);
  }
  EXPECT_EQ(shmem_align(std::size_t{4} << 20, 100), nullptr);
  EXPECT_EQ(shmem_align(std::size_t{1} << 63, 100), nullptr);
  shmem_free(before);
}

TEST(ShmemHeap, allocates_nothing_for_no_bytes_and_none_beyond_its_size) {
  EXPECT_EQ(shmem_malloc(0), nullptr);
  EXPECT_EQ(shmem_calloc(0, 8), nullptr);
  EXPECT_EQ(shmem_malloc(std::size_t{1} << 50), nullptr);
  EXPECT_EQ(shmem_calloc(SIZE_MAX / 2, 4), nullptr);
  void *some = shmem_malloc_with_hints(64, SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE);
  EXPECT_NE(some, nullptr);
  shmem_free(some);
}

TEST(ShmemHeap, clears_what_calloc_returns) {
  auto *used = static_cast<std::uint64_t *>(shmem_malloc(800));
  ASSERT_NE(used, nullptr);
  write_words(used, 100, rank(), 1);
  shmem_free(used);
  auto *cleared = static_cast<std::uint64_t *>(shmem_calloc(100, 8));
  ASSERT_EQ(cleared, used);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(cleared[i], 0u);
  shmem_free(cleared);
}

TEST(ShmemHeap, keeps_content_when_a_block_grows_moves_and_shrinks) {
  auto *block = static_cast<std::uint64_t *>(shmem_malloc(64 * 8));
  write_words(block, 64, rank(), 2);
  block = static_cast<std::uint64_t *>(shmem_realloc(block, 256 * 8));
  ASSERT_NE(block, nullptr);
  expect_words(block, 64, rank(), 2);
  void *behind = shmem_malloc(8);
  auto *moved = static_cast<std::uint64_t *>(shmem_realloc(block, 100'000 * 8));
  ASSERT_NE(moved, nullptr);
  EXPECT_NE(moved, block);
  expect_words(moved, 64, rank(), 2);
  const Ends ends = ends_of(distance(moved, behind));
  EXPECT_EQ(ends.least, ends.most);
  EXPECT_EQ(shmem_realloc(moved, std::size_t{1} << 50), nullptr);
  expect_words(moved, 64, rank(), 2);
  EXPECT_EQ(shmem_realloc(moved, 64 * 8), moved);
  expect_words(moved, 64, rank(), 2);
  EXPECT_EQ(shmem_realloc(moved, 0), nullptr);
  shmem_free(behind);
  void *made = shmem_realloc(nullptr, 8);
  EXPECT_NE(made, nullptr);
  shmem_free(made);
}

}  // namespace
}  // namespace halocline::test
