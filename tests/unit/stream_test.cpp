// Stores that bypass the caches, a fence, a counter: the words that the counter announces must be visible. Processors do reorder such
// stores: without the fence this test finds old words, if both threads run at once.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "base/stream.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/counter.hpp"

namespace halocline::core {
namespace {

/// What a writer and a reader share: a payload and the counters of an edge of mode notify, here with one slot.
struct alignas(4096) Channel {
  Counter arrived, freed;
  alignas(64) std::uint64_t payload[66] = {};
};

void await_counter(const Counter &counter, std::uint64_t value) {
  for (int looks = 1; !reached(counter, value); ++looks) looks % 1000 ? cpu_pause() : std::this_thread::yield();
}

void write_rounds(Channel &channel, std::uint64_t rounds) {
  std::vector<std::uint64_t> mine(std::size(channel.payload));
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    await_counter(channel.freed, round - 1);
    for (auto &word : mine) word = round;
    stream_copy(reinterpret_cast<char *>(channel.payload), reinterpret_cast<const char *>(mine.data()), sizeof channel.payload);
    stream_fence();
    notify(channel.arrived, round);
  }
}

/// Reads the last words first: they were written last. Returns how many were old.
long read_rounds(Channel &channel, std::uint64_t rounds) {
  long wrong = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    await_counter(channel.arrived, round);
    for (std::size_t w = std::size(channel.payload); w-- > 0;) wrong += channel.payload[w] != round;
    notify(channel.freed, round);
  }
  return wrong;
}

TEST(Stream, payload_is_there_when_the_counter_says_so) {
  static Channel channel;
  if (!can_stream(channel.payload, sizeof channel.payload)) GTEST_SKIP() << "this processor has no stores past the caches";
  std::thread writer(write_rounds, std::ref(channel), 10'000);
  EXPECT_EQ(read_rounds(channel, 10'000), 0);
  writer.join();
}

}  // namespace
}  // namespace halocline::core
