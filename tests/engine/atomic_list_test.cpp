// Lists of atomics: against the same atomics one by one, raced for by all ranks, and with errors.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <vector>

#include "engine/segments.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

constexpr std::int64_t kWords = 300;  // of 64 bits, of each rank in each part

/// Any atomic on a word of this rank, or on one half of it.
hlc_atomic draw_atomic(Random &random, hlc_target word) {
  constexpr hlc_number numbers[] = {HLC_NUMBER_INT32, HLC_NUMBER_INT64, HLC_NUMBER_UINT32, HLC_NUMBER_UINT64};
  hlc_atomic one{};
  one.at = word;
  one.type = numbers[between(random, 0, 3)];
  const bool is_half = one.type == HLC_NUMBER_INT32 || one.type == HLC_NUMBER_UINT32;
  if (is_half) one.at.offset += 4 * between(random, 0, 1);
  one.op = static_cast<hlc_op>(between(random, 0, HLC_OP_COUNT_ - 1));
  one.compare = between(random, 0, 2) == 0 ? 1 : 0;
  // Small numbers often equal what is there.
  one.value = between(random, 0, 1) == 0 ? between(random, -2, 2) : static_cast<std::int64_t>(random());
  one.expected = between(random, -2, 2);
  return one;
}

/// The same by a call of its own; returns the previous value.
std::int64_t carry_out_alone(hlc_atomic one, hlc_segment *twin) {
  one.at.segment = twin;
  std::int64_t old = -1;
  if (one.compare) {
    EXPECT_TRUE(ok(hlc_atomic_compare_swap(one.at, one.type, one.expected, one.value, &old)));
    return old;
  }
  std::int32_t half = static_cast<std::int32_t>(one.value), old_half = -1;
  const hlc_action action{one.op, one.type};
  if (one.type == HLC_NUMBER_INT64 || one.type == HLC_NUMBER_UINT64) {
    EXPECT_TRUE(ok(hlc_fetch_op(one.at, action, &one.value, &old)));
    return old;
  }
  EXPECT_TRUE(ok(hlc_fetch_op(one.at, action, &half, &old_half)));
  return one.type == HLC_NUMBER_INT32 ? old_half : static_cast<std::int64_t>(static_cast<std::uint32_t>(old_half));
}

/// Lists of distinct words in two segments, longer than one message carries and than are under way at once.
TEST(AtomicList, does_what_its_atomics_do_one_by_one) {
  const std::int64_t bytes = 8 * kWords * size();
  TestSegment first(bytes), second(bytes), first_twin(bytes), second_twin(bytes);
  Random random(mixed(seed() ^ static_cast<std::uint64_t>(rank())));
  const auto word_of = [](std::int64_t word) { return 8 * (rank() * kWords + word); };
  for (int step = 0; step < times(40); ++step) {
    std::vector<hlc_atomic> list;
    const std::int64_t only = between(random, 0, 1) == 0 ? size() - 1 - rank() : -1;  // half of the lists go to one rank
    for (std::int64_t word = between(random, 0, 290); word < kWords; ++word) {
      const auto target = static_cast<int>(only >= 0 ? only : between(random, 0, size() - 1));
      list.push_back(draw_atomic(random, (between(random, 0, 2) == 0 ? second : first).at(target, word_of(word))));
    }
    std::vector<std::int64_t> olds;
    for (const hlc_atomic &one : list)
      olds.push_back(carry_out_alone(one, one.at.segment == first.raw() ? first_twin.raw() : second_twin.raw()));
    EXPECT_TRUE(ok(hlc_atomics(list.data(), static_cast<std::int64_t>(list.size()))));
    for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(list[i].old, olds[i]) << "atomic " << i << " of step " << step;
  }
  first.barrier();
  EXPECT_TRUE(std::equal(first.data(), first.data() + bytes, first_twin.data()));
  EXPECT_TRUE(std::equal(second.data(), second.data() + bytes, second_twin.data()));
  first.barrier();
}

/// All ranks race for words with one list each; how many of them are on other nodes depends on the words.
TEST(AtomicList, gives_each_word_to_one_rank_and_each_ticket_once) {
  constexpr int words = 150, bytes = 4;
  TestSegment segment(8 + words * bytes);
  std::vector<hlc_atomic> list;
  for (int i = 0; i < words; ++i) {
    list.push_back({segment.at(i % size(), 8 + i * bytes), HLC_NUMBER_INT32, HLC_OP_SUM, 1, rank() + 1, 0, -1});
    list.push_back({segment.at(size() - 1, 0), HLC_NUMBER_INT64, HLC_OP_SUM, 0, 1, 0, -1});
  }
  EXPECT_TRUE(ok(hlc_atomics(list.data(), static_cast<std::int64_t>(list.size()))));
  segment.barrier();
  std::vector<std::int64_t> tickets, claimed;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].compare)
      claimed.push_back(list[i].old == 0 ? 1 : 0);
    else
      tickets.push_back(list[i].old);
  std::vector<std::int64_t> all(static_cast<std::size_t>(words * size()));
  MPI_Allgather(tickets.data(), words, MPI_INT64_T, all.data(), words, MPI_INT64_T, MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<std::int64_t>(i));
  MPI_Allreduce(MPI_IN_PLACE, claimed.data(), words, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(claimed, std::vector<std::int64_t>(words, 1));
  segment.barrier();
}

/// What has been asked before the error is answered later, when another list waits.
TEST(AtomicList, with_an_error_leaves_the_next_one_as_usual) {
  TestSegment segment(128 * size());
  for (int step = 0; step < times(40); ++step) {
    std::vector<hlc_atomic> list;
    for (int to = 0; to < size(); ++to) list.push_back({segment.at(to, 128 * rank()), HLC_NUMBER_INT64, HLC_OP_SUM, 0, 1, 0, -1});
    list.push_back({segment.at(0, 128 * rank() + 4), HLC_NUMBER_INT64, HLC_OP_SUM, 0, 1, 0, -1});
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_atomics(list.data(), static_cast<std::int64_t>(list.size()))));
    EXPECT_NE(std::string(hlc_error_message()).find("but must be a multiple of the 8 bytes"), std::string::npos) << hlc_error_message();
    list.pop_back();
    for (hlc_atomic &one : list) one.at.offset += 8;
    EXPECT_TRUE(ok(hlc_atomics(list.data(), static_cast<std::int64_t>(list.size()))));
    for (const hlc_atomic &one : list) EXPECT_EQ(one.old, step);
  }
  segment.barrier();
}

TEST(AtomicList, refuses_what_one_atomic_refuses) {
  TestSegment segment(16);
  const int other = (rank() + 1) % size();
  const auto refused = [&](hlc_atomic one, const char *words) {
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_atomics(&one, 1)));
    EXPECT_NE(std::string(hlc_error_message()).find(words), std::string::npos) << hlc_error_message();
  };
  refused({segment.at(other, 0), HLC_NUMBER_FLOAT64, HLC_OP_SUM, 0, 1, 0, 0}, "type is");
  refused({segment.at(other, 0), HLC_NUMBER_INT64, HLC_OP_COUNT_, 0, 1, 0, 0}, "action.op 9");
  refused({segment.at(other, 16), HLC_NUMBER_INT64, HLC_OP_SUM, 0, 1, 0, 0}, "offset is 16");
  refused({segment.at(size(), 0), HLC_NUMBER_INT64, HLC_OP_SUM, 0, 1, 0, 0}, "rank is");
  refused({{nullptr, 0, 0}, HLC_NUMBER_INT64, HLC_OP_SUM, 0, 1, 0, 0}, "segment is NULL");
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_atomics(nullptr, 1)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_atomics(nullptr, -1)));
  EXPECT_TRUE(ok(hlc_atomics(nullptr, 0)));
  segment.barrier();
}

}  // namespace
}  // namespace halocline::test
