// The blocks of the symmetric heap, and the sizes of SHMEM_SYMMETRIC_SIZE, without PEs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/heap.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "faces/shmem/settings.hpp"

namespace halocline::core::shmem {
namespace {

TEST(ShmemBlocks, never_overlap_and_all_come_back) {
  Heap heap;
  constexpr std::int64_t kBytes = 1 << 20, kMost = 4096, kPhase = 13 * 64;
  heap.reset(kBytes, kMost, kPhase);
  std::mt19937_64 random(7);
  std::map<std::int64_t, std::int64_t> taken;
  for (int step = 0; step < 6'000; ++step) {
    const std::int64_t bytes = static_cast<std::int64_t>(random() % 5'000) + 1, alignment = std::int64_t{1} << (random() % 13);
    if (random() % 2 == 0 || taken.empty()) {
      const std::int64_t offset = heap.take(bytes, alignment);
      if (offset == Heap::kNone) continue;
      ASSERT_EQ(offset % 64, 0);
      ASSERT_EQ((offset + kPhase) % alignment, 0);
      ASSERT_LE(offset + bytes, kBytes);
      ASSERT_TRUE(taken.emplace(offset, bytes).second);
    } else {
      const auto one = std::next(taken.begin(), static_cast<std::ptrdiff_t>(random() % taken.size()));
      if (random() % 3 == 0 && heap.resize(one->first, bytes)) {
        one->second = bytes;
      } else {
        ASSERT_TRUE(heap.release(one->first));
        taken.erase(one);
      }
    }
    std::int64_t end = 0;
    for (const auto &[begin, length] : taken) {
      ASSERT_GE(begin, end);
      end = begin + length;
    }
    ASSERT_LE(end, kBytes);
  }
  for (const auto &[offset, bytes] : taken) {
    EXPECT_EQ(heap.bytes_of(offset), bytes);
    EXPECT_TRUE(heap.release(offset));
  }
  EXPECT_EQ(heap.blocks(), 0u);
  EXPECT_EQ(heap.take(1, kMost * 2), Heap::kNone);
  EXPECT_EQ(heap.take(kBytes, 1), 0);
  EXPECT_EQ(heap.take(1, 1), Heap::kNone);
  EXPECT_FALSE(heap.release(64));
}

TEST(ShmemSettings, read_sizes_as_the_standard_says) {
  const std::map<const char *, std::int64_t> sizes{
      {"0", 0},         {"20m", 20'971'520}, {"3.1M", 3'250'586}, {"1k", 1024}, {"1.5G", 1'610'612'736}, {"2T", std::int64_t{2} << 40},
      {"20kk", 20'480}, {"100", 100}};
  for (const auto &[text, wanted] : sizes) {
    std::int64_t bytes = -1;
    EXPECT_TRUE(read_size(text, &bytes)) << text;
    EXPECT_EQ(bytes, wanted) << text;
  }
  std::int64_t bytes = -1;
  for (const char *text : {"", "much", "-1", "1x", "nan", "inf", "1e300"}) EXPECT_FALSE(read_size(text, &bytes)) << text;
}

}  // namespace
}  // namespace halocline::core::shmem
