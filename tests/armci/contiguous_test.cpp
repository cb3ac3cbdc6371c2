// Contiguous put, get and accumulate, of bytes and of values.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "armci_test.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

constexpr std::size_t lengths[] = {1, 2, 3, 4, 7, 8, 9, 31, 64, 65, 1000, 4096, 8191, 65536, 300001};
constexpr std::size_t longest = 300001;

TEST(ArmciPut, is_there_after_a_barrier) {
  const GlobalMemory memory(static_cast<long>(longest) + 8);
  std::uint64_t step = 0;
  for (const std::size_t count : lengths)
    for (int distance = 0; distance < size(); ++distance) {
      const int target = (rank() + distance) % size(), origin = (rank() + size() - distance) % size();
      std::vector<char> sent = bytes_of(rank(), ++step, count);
      EXPECT_EQ(ARMCI_Put(sent.data(), memory.of(target) + step % 8, static_cast<int>(count), target), 0);
      ARMCI_Barrier();
      const std::vector<char> now = memory.copy();
      EXPECT_EQ(std::memcmp(now.data() + step % 8, bytes_of(origin, step, count).data(), count), 0)
          << count << " bytes from rank " << origin;
      ARMCI_Barrier();
    }
}

TEST(ArmciPut, changes_no_bytes_beside_its_own) {
  const GlobalMemory memory(64);
  for (std::size_t at = 1; at < 20; ++at)
    for (const std::size_t count : {1u, 3u, 8u, 17u}) {
      memory.fill(0x3c);
      ARMCI_Barrier();
      std::vector<char> sent(count, static_cast<char>(0x11));
      EXPECT_EQ(ARMCI_Put(sent.data(), memory.of(next()) + at, static_cast<int>(count), next()), 0);
      ARMCI_Barrier();
      const std::vector<char> now = memory.copy();
      for (std::size_t i = 0; i < now.size(); ++i) ASSERT_EQ(now[i], i >= at && i < at + count ? 0x11 : 0x3c) << "byte " << i;
      ARMCI_Barrier();
    }
}

TEST(ArmciGet, returns_what_is_there) {
  const GlobalMemory memory(static_cast<long>(longest) + 8);
  std::uint64_t step = 500;
  for (const std::size_t count : lengths) {
    step += 1;
    memory.store(step % 8, bytes_of(rank(), step, count));
    ARMCI_Barrier();
    for (int source = 0; source < size(); ++source) {
      std::vector<char> got(count + 2, 0x77);
      EXPECT_EQ(ARMCI_Get(memory.of(source) + step % 8, got.data() + 1, static_cast<int>(count), source), 0);
      EXPECT_EQ(std::memcmp(got.data() + 1, bytes_of(source, step, count).data(), count), 0) << count << " bytes of rank " << source;
      EXPECT_TRUE(got.front() == 0x77 && got.back() == 0x77) << "bytes beside the buffer";
    }
    ARMCI_Barrier();
  }
}

/// The local side of a transfer may be memory that other ranks see.
TEST(ArmciPut, takes_global_memory_as_its_source_and_a_get_as_its_destination) {
  const GlobalMemory memory(3 * 512);
  memory.store(0, words_of(rank(), 3, 64));
  ARMCI_Barrier();
  EXPECT_EQ(ARMCI_Put(memory.mine(), memory.of(next()) + 512, 512, next()), 0);
  EXPECT_EQ(ARMCI_Get(memory.of(previous()), memory.mine() + 1024, 512, previous()), 0);
  ARMCI_Barrier();
  EXPECT_EQ(memory.copy_of<std::uint64_t>(64, 64), words_of(previous(), 3, 64));
  EXPECT_EQ(memory.copy_of<std::uint64_t>(128, 64), words_of(previous(), 3, 64));
}

TEST(ArmciPut, of_nothing_does_nothing) {
  const GlobalMemory memory(8);
  long value = 1;
  EXPECT_EQ(ARMCI_Put(&value, memory.of(next()), 0, next()), 0);
  EXPECT_EQ(ARMCI_Get(memory.of(next()), &value, 0, next()), 0);
  ARMCI_Barrier();
  EXPECT_EQ(value, 1);
  for (const char byte : memory.copy()) EXPECT_EQ(byte, 0x5a);
}

template <class T>
class ArmciAcc : public testing::Test {};
TYPED_TEST_SUITE(ArmciAcc, AccumulateTypes);

TYPED_TEST(ArmciAcc, adds_elements_times_the_scale) {
  using T = TypeParam;
  for (const std::size_t count : {1u, 2u, 5u, 64u, 1000u, 5000u}) {
    const GlobalMemory memory(static_cast<long>(count * sizeof(T)));
    for (int factor : {1, 2, -3, 0}) {
      std::vector<T> before(count), added(count);
      for (std::size_t i = 0; i < count; ++i) before[i] = element_of<T>(static_cast<int>(i) + rank());
      for (std::size_t i = 0; i < count; ++i) added[i] = element_of<T>(static_cast<int>(i % 100) + 7 * rank() + 1);
      memory.store(0, before);
      ARMCI_Barrier();
      T scale = factor == 1 ? real_element<T>(1) : element_of<T>(factor);
      EXPECT_EQ(ARMCI_Acc(accumulate_type<T>(), &scale, added.data(), memory.of(next()), static_cast<int>(count * sizeof(T)), next()), 0);
      ARMCI_Barrier();
      const std::vector<T> now = memory.copy_of<T>(0, count);
      for (std::size_t i = 0; i < count; ++i) {
        const T expected = before[i] + scale * element_of<T>(static_cast<int>(i % 100) + 7 * previous() + 1);
        ASSERT_EQ(now[i], expected) << "element " << i << " of " << count << ", scale " << factor;
      }
      ARMCI_Barrier();
    }
  }
}

/// Accumulates of several ranks at the same time lose no part of an element.
TYPED_TEST(ArmciAcc, of_all_ranks_at_once_loses_nothing) {
  using T = TypeParam;
  constexpr std::size_t count = 333;
  constexpr int turns = 40;
  const GlobalMemory memory(static_cast<long>(count * sizeof(T)));
  memory.store(0, std::vector<T>(count, T{}));
  ARMCI_Barrier();
  Skew skew(11);
  std::vector<T> ones(count);
  for (std::size_t i = 0; i < count; ++i) ones[i] = element_of<T>(static_cast<int>(i % 50));
  T scale = real_element<T>(2);
  for (int turn = 0; turn < turns; ++turn) {
    skew.delay();
    for (int target = 0; target < size(); ++target)
      EXPECT_EQ(ARMCI_Acc(accumulate_type<T>(), &scale, ones.data(), memory.of(target), static_cast<int>(count * sizeof(T)), target), 0);
  }
  ARMCI_Barrier();
  const std::vector<T> now = memory.copy_of<T>(0, count);
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(now[i], real_element<T>(2 * turns * size()) * element_of<T>(static_cast<int>(i % 50))) << "element " << i;
}

TEST(ArmciValue, is_put_and_got_in_every_type) {
  const GlobalMemory memory(64);
  char *const far = memory.of(next());
  EXPECT_EQ(ARMCI_PutValueInt(-7 - rank(), far, next()), 0);
  EXPECT_EQ(ARMCI_PutValueLong(1L << 40 | rank(), far + 8, next()), 0);
  EXPECT_EQ(ARMCI_PutValueFloat(0.5f + static_cast<float>(rank()), far + 16, next()), 0);
  EXPECT_EQ(ARMCI_PutValueDouble(0.125 + rank(), far + 24, next()), 0);
  ARMCI_Barrier();
  for (int r = 0; r < size(); ++r) {
    const int writer = (r + size() - 1) % size();
    EXPECT_EQ(ARMCI_GetValueInt(memory.of(r), r), -7 - writer);
    EXPECT_EQ(ARMCI_GetValueLong(memory.of(r) + 8, r), 1L << 40 | writer);
    EXPECT_EQ(ARMCI_GetValueFloat(memory.of(r) + 16, r), 0.5f + static_cast<float>(writer));
    EXPECT_EQ(ARMCI_GetValueDouble(memory.of(r) + 24, r), 0.125 + writer);
  }
  const std::vector<char> now = memory.copy();
  for (const std::size_t gap : {4u, 20u, 32u}) EXPECT_EQ(now[gap], 0x5a) << "byte " << gap;
}

TEST(ArmciCopy, copies_on_one_rank) {
  const GlobalMemory memory(800);
  auto words = words_of(rank(), 9, 100);
  ARMCI_Copy(words.data(), memory.mine(), 800);
  ARMCI_Barrier();
  EXPECT_EQ(memory.copy_of<std::uint64_t>(0, 100), words);
}

}  // namespace
}  // namespace halocline::test
