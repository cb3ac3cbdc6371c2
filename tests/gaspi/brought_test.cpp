// Atomics on memory that the program provides (gaspi_segment_use), by ranks of the same node, of others, and its owner at once.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <string>
#include <vector>

#include "gaspi_test.hpp"

namespace halocline::test {
namespace {

class GaspiBrought : public testing::Test {
 protected:
  void SetUp() override {
    hlc_context_info_t info{};
    EXPECT_TRUE(ok(hlc_context_info(context(), &info)));
    const char *progress = std::getenv("HALOCLINE_PROGRESS");
    if (info.nodes > 1 && progress && std::string(progress) == "helper") GTEST_SKIP() << "a helper process does not reach such memory";
    EXPECT_TRUE(succeeds(gaspi_segment_use(4, memory_.data(), memory_.size() * 8, GASPI_GROUP_ALL, GASPI_BLOCK, 0)));
    made_ = true;
  }
  void TearDown() override {
    if (!made_) return;
    barrier();
    EXPECT_TRUE(succeeds(gaspi_segment_delete(4)));
  }

  std::vector<std::uint64_t> memory_ = std::vector<std::uint64_t>(8, 0);
  bool made_ = false;
};

TEST_F(GaspiBrought, memory_counts_every_addition_of_every_rank) {
  constexpr int times = 100;
  gaspi_atomic_value_t old = 0;
  for (int i = 0; i < times; ++i)
    for (int r = 0; r < size(); ++r) {
      EXPECT_TRUE(succeeds(gaspi_atomic_fetch_add(4, 8, as_rank(r), 3, &old, GASPI_BLOCK)));
      EXPECT_EQ(old % 3, 0u);
    }
  barrier();
  EXPECT_EQ(memory_[1], 3u * times * static_cast<unsigned>(size()));
  EXPECT_EQ(memory_[0] | memory_[2], 0u) << "beside it";
}

TEST_F(GaspiBrought, memory_holds_a_lock_that_one_rank_at_a_time_has) {
  const gaspi_rank_t home = as_rank(size() - 1);
  const auto me = static_cast<gaspi_atomic_value_t>(rank()) + 1;
  gaspi_atomic_value_t old = 0;
  for (int i = 0; i < 20; ++i) {
    do EXPECT_TRUE(succeeds(gaspi_atomic_compare_swap(4, 0, home, 0, me, &old, GASPI_BLOCK)));
    while (old != 0);
    // No other rank adds meanwhile.
    EXPECT_TRUE(succeeds(gaspi_atomic_fetch_add(4, 16, home, 1, &old, GASPI_BLOCK)));
    EXPECT_TRUE(succeeds(gaspi_atomic_compare_swap(4, 24, home, old, old + 1, &old, GASPI_BLOCK)));
    EXPECT_TRUE(succeeds(gaspi_atomic_compare_swap(4, 0, home, me, 0, &old, GASPI_BLOCK)));
    EXPECT_EQ(old, me);
  }
  barrier();
  if (rank() == home) {
    EXPECT_EQ(memory_[2], 20u * static_cast<unsigned>(size()));
    EXPECT_EQ(memory_[3], memory_[2]);
  }
}

TEST_F(GaspiBrought, memory_that_one_rank_binds_takes_the_atomics_of_all_that_it_is_registered_with) {
  constexpr gaspi_segment_id_t bound = 5;
  constexpr int times = 25;
  // It begins at an odd address.
  std::vector<char> bytes(8 * (static_cast<std::size_t>(size()) + 1) + 1, '\0');
  char *memory = bytes.data() + 1;
  if (rank() == 0) {
    EXPECT_TRUE(succeeds(gaspi_segment_bind(bound, memory, bytes.size() - 1, 0)));
    for (int r = 0; r < size(); ++r) EXPECT_TRUE(succeeds(gaspi_segment_register(bound, as_rank(r), GASPI_BLOCK)));
  }
  barrier();
  const gaspi_offset_t mine = 8 * (static_cast<gaspi_offset_t>(rank()) + 1);
  gaspi_atomic_value_t old = 0;
  for (gaspi_atomic_value_t i = 0; i < times; ++i) {
    EXPECT_TRUE(succeeds(gaspi_atomic_fetch_add(bound, 0, 0, 2, &old, GASPI_BLOCK)));
    EXPECT_TRUE(succeeds(gaspi_atomic_compare_swap(bound, mine, 0, i, i + 1, &old, GASPI_BLOCK)));
    EXPECT_EQ(old, i);
    EXPECT_TRUE(succeeds(gaspi_atomic_compare_swap(bound, mine, 0, i, 99, &old, GASPI_BLOCK)));
    EXPECT_EQ(old, i + 1) << "what is not as expected stays";
  }
  barrier();
  if (rank() != 0) return;
  const auto word = [&](int i) {
    std::uint64_t value = 0;
    std::memcpy(&value, memory + 8 * i, sizeof value);
    return value;
  };
  EXPECT_EQ(word(0), 2u * times * static_cast<unsigned>(size()));
  for (int r = 0; r < size(); ++r) EXPECT_EQ(word(r + 1), static_cast<std::uint64_t>(times)) << "rank " << r;
  EXPECT_TRUE(succeeds(gaspi_segment_delete(bound)));
}

}  // namespace
}  // namespace halocline::test
