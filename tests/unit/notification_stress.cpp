// Threads as the ranks of a node drive the library's own notifications and doorbells under ThreadSanitizer. They form a ring of two-slot
// channels as in mode notify. Random delays make waits end in all three phases (at once, after yielding, asleep). A payload that is read or
// overwritten without its ordering is a data race, a wrong value or a lost wake-up.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "base/counter.hpp"
#include "transport/shm/doorbell.hpp"

namespace {

using halocline::core::Counter;
using halocline::core::notify;
using halocline::core::reached;
using halocline::core::transport::Member;
using halocline::core::transport::shm::Doorbell;
using halocline::core::transport::shm::DoorbellState;

constexpr int words = 32;

/// What one member sends to the next: two slots and two counters, as an edge of mode notify.
struct Channel {
  Counter arrived, freed;
  std::uint64_t slots[2][words] = {};
};

/// Sleeps practically without time limit, so that a lost wake-up shows as a hang.
void wait_for(Doorbell &doorbell, const Counter &counter, std::uint64_t value) {
  for (int tries = 0; tries < 30; ++tries) {
    if (reached(counter, value)) return;
    sched_yield();
  }
  std::uint32_t seen = doorbell.word();
  doorbell.announce_sleep();
  while (!reached(counter, value)) {
    doorbell.sleep(seen, 20'000'000'000);
    seen = doorbell.word();
  }
  doorbell.awake();
}

void delay(std::mt19937 &random) {
  if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
}

/// One member: sends to the next, receives from the previous, round by round. Returns the number of wrong words.
int play(std::vector<DoorbellState> &doorbells, std::vector<Channel> &channels, Member me, std::uint64_t rounds) {
  const auto members = static_cast<Member>(channels.size());
  const Member next = (me + 1) % members, previous = (me + members - 1) % members;
  Channel &out = channels[static_cast<std::size_t>(me)], &in = channels[static_cast<std::size_t>(previous)];
  Doorbell doorbell;
  doorbell.attach(doorbells.data(), me);
  std::mt19937 random(static_cast<unsigned>(me) + 1);
  int wrong = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    if (round > 2) wait_for(doorbell, out.freed, round - 2);
    for (int w = 0; w < words; ++w) out.slots[round % 2][w] = round * 1000 + static_cast<std::uint64_t>(me * words + w);
    delay(random);
    notify(out.arrived, round);
    doorbell.ring(next);

    wait_for(doorbell, in.arrived, round);
    for (int w = 0; w < words; ++w) wrong += in.slots[round % 2][w] != round * 1000 + static_cast<std::uint64_t>(previous * words + w);
    delay(random);
    notify(in.freed, round);
    doorbell.ring(previous);
  }
  return wrong;
}

int stress(int members, std::uint64_t rounds) {
  std::vector<DoorbellState> doorbells(static_cast<std::size_t>(members));
  std::vector<Channel> channels(static_cast<std::size_t>(members));
  std::vector<int> wrong(static_cast<std::size_t>(members));
  std::vector<std::thread> threads;
  for (int m = 0; m < members; ++m)
    threads.emplace_back([&, m] { wrong[static_cast<std::size_t>(m)] = play(doorbells, channels, m, rounds); });
  for (std::thread &thread : threads) thread.join();
  int sum = 0;
  for (const int w : wrong) sum += w;
  std::printf("%s: %d members, %llu rounds, %d wrong words\n", sum ? "failed" : "ok", members, static_cast<unsigned long long>(rounds),
              sum);
  return sum == 0 ? 0 : 1;
}

}  // namespace

int main() {
  int failed = 0;
  for (const int members : {2, 3, 4}) failed += stress(members, 3000);
  std::printf("%d passed, %d failed, 0 skipped\n", 3 - failed, failed);
  return failed;
}
