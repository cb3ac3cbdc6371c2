// Notifications compared with a plain array that is searched from end to end. In any order of setting and taking both find the same. Also
// tests which memory a search touches.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "base/notifications.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace halocline::core {
namespace {

class Pair {
 public:
  explicit Pair(int count)
      : memory_(static_cast<std::size_t>(Notifications::bytes_of(count) / 128)), plain_(static_cast<std::size_t>(count)) {
    tested_ = Notifications(reinterpret_cast<char *>(memory_.data()), count);
  }
  const Notifications &tested() const { return tested_; }
  void set(int id, std::uint32_t value) {
    tested_.set(id, value);
    plain_[static_cast<std::size_t>(id)] = value;
  }
  void take(int id) {
    EXPECT_EQ(tested_.take(id), plain_[static_cast<std::size_t>(id)]);
    plain_[static_cast<std::size_t>(id)] = 0;
  }
  void expect_same(int first, int end) const {
    const auto from = plain_.begin() + first, to = plain_.begin() + end;
    const int expected = first + static_cast<int>(std::find_if(from, to, [](std::uint32_t value) { return value != 0; }) - from);
    EXPECT_EQ(tested_.find(first, end), expected) << "of " << first << " to before " << end << ", " << plain_.size() << " in all";
  }

 private:
  struct alignas(128) LinePair {
    char bytes[128] = {};
  };
  std::vector<LinePair> memory_;
  std::vector<std::uint32_t> plain_;
  Notifications tested_;
};

TEST(Notifications, are_found_as_by_a_search_from_end_to_end) {
  std::mt19937 random(1);
  const auto below = [&random](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  for (const int count : {1, 2, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 10'000, 65'536}) {
    Pair pair(count);
    for (int step = 0; step < 3000; ++step) {
      const int id = below(count);
      if (below(3) != 0) pair.set(id, static_cast<std::uint32_t>(below(1'000'000)) + 1);
      pair.take(below(2) != 0 ? id : below(count));
      const int first = below(count), end = first + 1 + below(count - first);
      pair.expect_same(first, end);
      if (step % 8 == 0) pair.expect_same(0, count);
    }
  }
}

TEST(Notifications, at_the_ends_of_leaves_and_tops_are_found) {
  constexpr int count = 65'536;
  Pair pair(count);
  for (const int id : {0, 63, 64, 4095, 4096, 8191, 61'439, 61'440, count - 1}) {
    pair.set(id, 7);
    for (const int first : {0, id})
      for (const int end : {id + 1, count}) EXPECT_EQ(pair.tested().find(first, end), id);
    EXPECT_TRUE(id == 0 || pair.tested().find(0, id) == id) << "nothing is set before it";
    EXPECT_TRUE(id + 1 == count || pair.tested().find(id + 1, count) == count) << "nor behind it";
    pair.take(id);
    EXPECT_EQ(pair.tested().find(0, count), count);
  }
}

TEST(Notifications, that_are_set_are_found_by_every_look_whoever_else_looks) {
  constexpr int count = 10'000, id = 70;
  Pair pair(count);
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) static_cast<void>(pair.tested().find(0, count));
  });
  int missed = 0;
  for (int step = 0; step < 300'000; ++step) {
    pair.tested().set(id, 1);
    missed += pair.tested().find(0, count) == id ? 0 : 1;
    EXPECT_EQ(pair.tested().take(id), 1u);
  }
  over = true;
  other.join();
  EXPECT_EQ(missed, 0);
}

TEST(NotificationWords, that_rise_do_not_go_back_and_ids_between_are_nobodys) {
  constexpr int count = 5, rising = 64;  // each of these on a line pair of its own
  std::vector<std::uint64_t> memory(static_cast<std::size_t>(NotificationWords::bytes_of(count, rising) / 8));
  const NotificationWords words(reinterpret_cast<char *>(memory.data()), count, rising);
  EXPECT_TRUE(words.set(4, 9));
  EXPECT_EQ(words.notifications.take(4), 9u);
  EXPECT_FALSE(words.set(4, 0)) << "no notification has that value";
  EXPECT_TRUE(words.set(33, 0xFFFFFFFFu));
  EXPECT_EQ(words.risen(1), 0u) << "behind what it is";
  for (const std::uint32_t id : {5u, 31u, 96u, 0xFFFFFFFFu}) EXPECT_FALSE(words.set(id, 1)) << id;
  EXPECT_TRUE(words.set(32 + 63, 8));
  EXPECT_TRUE(words.set(32 + 63, 7));
  EXPECT_EQ(words.risen(63), 8u);
  EXPECT_EQ(reinterpret_cast<char *>(&words.monotonic[std::size_t{63} * kWordsPerLinePair] + kWordsPerLinePair),
            reinterpret_cast<char *>(memory.data()) + NotificationWords::bytes_of(count, rising));
  EXPECT_EQ(words.monotonic[std::size_t{63} * kWordsPerLinePair].load(), 8u);
  for (const std::uint32_t number : {0x7FFFFFFFu, 0xFFFFFFFEu, 0xFFFFFFFFu, 0u, 1u}) {
    EXPECT_TRUE(words.set(34, number)) << "numbers wrap around";
    EXPECT_EQ(words.risen(2), number);
  }
  words.lower(63);
  EXPECT_EQ(words.risen(63), 0u);
}

TEST(SignalledNumbers, are_replaced_and_added_to_with_operands_that_leave_room_for_the_place) {
  // So many numbers, and the bits that are left for an operand.
  constexpr std::pair<std::uint64_t, int> cases[] = {{1, 32}, {2, 32}, {3, 32}, {1025, 32}, {(1 << 17) + 1, 30}};
  for (const auto &[count, bits] : cases) {
    std::vector<std::uint64_t> memory(count + 1, 5);
    const SignalledNumbers numbers{memory.data(), count};
    const std::uint64_t most = (std::uint64_t{1} << bits) - 1;
    for (const std::uint64_t place : {std::uint64_t{0}, count / 2, count - 1}) {
      const auto replaces = SignalledNumbers::code_of(count, {place, most, false}),
                 adds = SignalledNumbers::code_of(count, {place, 7, true});
      ASSERT_TRUE(replaces && adds) << count;
      EXPECT_TRUE(numbers.change(*replaces) && numbers.change(*adds));
      EXPECT_EQ(memory[place], most + 7) << place << " of " << count;
      EXPECT_FALSE(SignalledNumbers::code_of(count, {place, most + 1, true}));
    }
    EXPECT_FALSE(SignalledNumbers::code_of(count, {count, 0, false}));
    EXPECT_EQ(memory[count], 5u);
  }
}

TEST(SignalledNumbers, are_hardly_changed_by_random_bits) {
  std::vector<std::uint64_t> memory(4, 5);
  const SignalledNumbers numbers{memory.data(), 4};
  std::mt19937_64 dice(1);
  constexpr int kTried = 100'000;
  int taken = 0;
  for (int i = 0; i < kTried; ++i) taken += numbers.change(dice() >> (64 - SignalledNumbers::kBits)) ? 1 : 0;
  EXPECT_LT(taken, 50) << "14 bits are zeros: 6 are expected";
}

TEST(SignalledNumbers, are_none_that_do_not_exist) {
  std::vector<std::uint64_t> memory(4, 5);
  const SignalledNumbers numbers{memory.data(), 3}, none;
  const auto fourth = SignalledNumbers::code_of(4, {3, 1, false});
  ASSERT_TRUE(fourth);
  EXPECT_FALSE(numbers.change(*fourth)) << "places of three numbers have as many bits";
  EXPECT_FALSE(none.change(*fourth));
  EXPECT_EQ(memory, std::vector<std::uint64_t>(4, 5));
  EXPECT_FALSE(SignalledNumbers::code_of(0, {0, 1, false}));
  // So many that their places leave no room, or just as much as they need.
  EXPECT_TRUE(SignalledNumbers::code_of(std::uint64_t{1} << 48, {(std::uint64_t{1} << 48) - 1, 0, true}));
  EXPECT_FALSE(SignalledNumbers::code_of(std::uint64_t{1} << 48, {0, 1, true}));
  EXPECT_FALSE(SignalledNumbers::code_of((std::uint64_t{1} << 48) + 1, {0, 0, true}));
}

}  // namespace
}  // namespace halocline::core
