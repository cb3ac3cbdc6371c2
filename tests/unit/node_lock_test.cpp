// The lock that ranks of a node share. At most one thread of all ranks holds it. A rank that dies with it releases it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/memory/node_lock.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <vector>

namespace halocline::core {
namespace {

using transport::shm::Doorbell;
using transport::shm::DoorbellState;
using transport::shm::Process;

class NodeLockTest : public testing::Test {
 protected:
  NodeLockTest() {
    for (int member = 0; member < 2; ++member) {
      states_[static_cast<std::size_t>(member)].process = Process::of(getpid());
      ports_[static_cast<std::size_t>(member)].attach(states_.data(), member);
    }
  }
  NodeLock of(int member) { return {word_, ports_[static_cast<std::size_t>(member)], member}; }

  alignas(kLinePair) char word_[kLinePair] = {};
  std::array<DoorbellState, 2> states_{};
  std::array<Doorbell, 2> ports_;
};

TEST_F(NodeLockTest, is_had_by_one_at_a_time) {
  EXPECT_TRUE(of(0).try_lock());
  EXPECT_FALSE(of(1).try_lock());
  EXPECT_FALSE(of(0).try_lock()) << "another thread of the same rank";
  of(0).unlock();
  EXPECT_TRUE(of(1).try_lock());
}

TEST_F(NodeLockTest, is_free_when_its_owner_has_ended) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  states_[1].process = Process::of(child);
  EXPECT_TRUE(of(1).try_lock());
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(of(0).try_lock());
  EXPECT_FALSE(of(0).try_lock());
}

TEST_F(NodeLockTest, keeps_threads_apart_that_change_one_number) {
  constexpr int times = 20'000;
  long number = 0;
  std::vector<std::thread> threads;
  for (int member = 0; member < 2; ++member)
    threads.emplace_back([&, member] {
      const NodeLock lock = of(member);
      for (int i = 0; i < times; ++i) {
        while (!lock.try_lock()) std::this_thread::yield();
        number += 1;
        lock.unlock();
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(number, 2 * times);
}

}  // namespace
}  // namespace halocline::core
