// GASPI 17.1, section 9: passive messages of several threads, with timeouts.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "gaspi_test.hpp"

namespace halocline::test {
namespace {

constexpr int senders = 3, receivers = 2;
constexpr std::uint64_t steps = 12, longest_message = 600;  // words

/// Messages differ in length, so that some are copied by the network and some are read from the segment.
std::uint64_t words_of(std::uint64_t step) { return 4 + step * 97 % (longest_message - 4); }

/// Sends a message to each of two ranks per step. One that times out is tried again, in turn with the other.
class Sender {
 public:
  Sender(const Segment &segment, int thread) : segment_(segment), thread_(thread) {}

  void send_all() {
    for (std::uint64_t step = 1; step <= steps; ++step) {
      bool sent[2] = {false, false};
      for (int i = 0; i < 2; ++i) fill(i, step);
      for (int tries = 0; !sent[0] || !sent[1]; ++tries) {
        const int i = tries % 2;
        if (!sent[i]) sent[i] = send(i, step, tries % 3 == 0 ? GASPI_TEST : 1);
      }
    }
  }

 private:
  std::uint64_t place(int i) const { return static_cast<std::uint64_t>(2 * thread_ + i) * longest_message; }
  /// With one rank both messages are for it.
  static gaspi_rank_t target(int i) { return i == 0 ? next() : previous(); }
  void fill(int i, std::uint64_t step) const {
    std::uint64_t *words = segment_.words() + place(i);
    words[0] = static_cast<std::uint64_t>(rank());
    words[1] = static_cast<std::uint64_t>(thread_);
    words[2] = 2 * step + static_cast<std::uint64_t>(i);
    for (std::uint64_t w = 3; w < words_of(step); ++w) words[w] = word_of(rank() * senders + thread_, words[2], w);
  }
  bool send(int i, std::uint64_t step, gaspi_timeout_t timeout_ms) const {
    const gaspi_return_t code = gaspi_passive_send(segment_.id(), 8 * place(i), target(i), 8 * words_of(step), timeout_ms);
    EXPECT_TRUE(code == GASPI_TIMEOUT || succeeds(code));
    return code != GASPI_TIMEOUT;
  }

  const Segment &segment_;
  int thread_;
};

/// What the threads of a rank have received.
class Received {
 public:
  explicit Received(const Segment &segment) : segment_(segment), seen_(static_cast<std::size_t>(size()) * senders * 2 * (steps + 1)) {}

  void receive_all(int thread) {
    const std::uint64_t place = static_cast<std::uint64_t>(2 * senders + thread) * longest_message;
    while (count_ < 2 * senders * static_cast<int>(steps)) {
      gaspi_rank_t from = 0;
      const gaspi_return_t code = gaspi_passive_receive(segment_.id(), 8 * place, &from, 8 * longest_message, thread == 0 ? GASPI_TEST : 2);
      if (code == GASPI_TIMEOUT) continue;
      ASSERT_TRUE(succeeds(code));
      note(segment_.words() + place, from);
      count_ += 1;
    }
  }

 private:
  void note(const std::uint64_t *words, gaspi_rank_t from) {
    ASSERT_EQ(words[0], from);
    ASSERT_LT(words[1], static_cast<std::uint64_t>(senders));
    ASSERT_LE(words[2], 2 * steps + 1);
    const auto writer = static_cast<int>(from) * senders + static_cast<int>(words[1]);
    for (std::uint64_t w = 3; w < words_of(words[2] / 2); ++w) ASSERT_EQ(words[w], word_of(writer, words[2], w)) << "word " << w;
    const std::lock_guard lock(mutex_);
    std::uint8_t &seen = seen_[static_cast<std::size_t>(writer) * 2 * (steps + 1) + words[2]];
    EXPECT_EQ(seen, 0) << "a message of rank " << from << " has come twice";
    seen = 1;
  }

  const Segment &segment_;
  std::atomic<int> count_{0};
  std::mutex mutex_;
  std::vector<std::uint8_t> seen_;
};

TEST(GaspiPassive, messages_of_several_threads_to_several_ranks_are_neither_lost_nor_mixed_when_their_time_is_over) {
  const Segment segment(8 * longest_message * (2 * senders + receivers));
  Received received(segment);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < senders; ++thread) threads.emplace_back([&segment, thread] { Sender(segment, thread).send_all(); });
  for (int thread = 0; thread < receivers; ++thread) threads.emplace_back([&received, thread] { received.receive_all(thread); });
  for (std::thread &thread : threads) thread.join();
  barrier();
  gaspi_rank_t from = 0;
  EXPECT_TRUE(comes_to(GASPI_TIMEOUT, gaspi_passive_receive(0, 0, &from, 8, GASPI_TEST))) << "one too many";
}

TEST(GaspiPassive, purge_gives_back_what_was_taken_for_a_message_that_nobody_sends_any_more) {
  const Segment segment(64);
  // The mailbox of the next rank is reserved, or about to be.
  for (int tries = 0; tries < 3; ++tries) {
    if (rank() == 0 && gaspi_passive_send(0, 0, next(), 8, GASPI_TEST) == GASPI_SUCCESS) {
      EXPECT_TRUE(succeeds(gaspi_notify(0, next(), 1, 1, 0, GASPI_BLOCK)));
    } else if (rank() == 0) {
      EXPECT_TRUE(succeeds(gaspi_passive_queue_purge(GASPI_BLOCK)));
      EXPECT_TRUE(succeeds(gaspi_notify(0, next(), 1, 2, 0, GASPI_BLOCK)));
    }
    if (previous() == 0) {
      gaspi_rank_t from = 99;
      const bool comes = take(0, 1) == 1;
      if (comes) {
        EXPECT_TRUE(succeeds(gaspi_passive_receive(0, 8, &from, 8, GASPI_BLOCK)));
      }
      // Another sender may reserve the mailbox now. Where the network does not copy, a message may have left before the call could say so.
      gaspi_return_t reserved = GASPI_TIMEOUT;
      while ((reserved = gaspi_passive_send(0, 0, as_rank(rank()), 8, 10)) == GASPI_TIMEOUT) {
        if (gaspi_passive_receive(0, 8, &from, 8, GASPI_TEST) != GASPI_SUCCESS) continue;
        EXPECT_FALSE(comes) << "one too many";
        EXPECT_EQ(from, 0);
      }
      EXPECT_TRUE(succeeds(reserved));
      EXPECT_TRUE(succeeds(gaspi_passive_receive(0, 8, &from, 8, GASPI_BLOCK)));
      EXPECT_EQ(from, rank());
    }
    wait_for(0);
    barrier();
  }
}

}  // namespace
}  // namespace halocline::test
