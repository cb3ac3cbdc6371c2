// A network that is opened while another thread of the rank waits, under ThreadSanitizer. A waiting thread that sees the network sees it
// fully made.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <sched.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>

#include "engine/communicator/communicator.hpp"

namespace halocline::test {
using namespace core;
namespace {

/// A plain member, as those that a network sets when it is opened.
class Opened final : public RemoteProgress {
 public:
  explicit Opened(int number) : number_(number) {}
  bool poll() override { return number_ > 0; }
  std::uint64_t events() const override { return 0; }
  bool has_thread() const override { return false; }
  bool has_failed() const override { return false; }
  int lost() const override { return -1; }
  int find_lost() override { return -1; }
  std::string name_of(int) override { return ""; }

 private:
  int number_;
};

class Networks : public testing::TestWithParam<int> {};

TEST_P(Networks, are_seen_whole_by_a_thread_that_waits) {
  for (int round = 1; round <= GetParam(); ++round) {
    Communicator communicator;
    bool polled = false;
    std::thread waits([&] {
      while (!communicator.remote()) sched_yield();
      polled = communicator.remote()->poll();
    });
    Opened network(round);
    communicator.set_remote(&network);
    waits.join();
    EXPECT_TRUE(polled);
  }
}

INSTANTIATE_TEST_SUITE_P(Rounds, Networks, testing::Values(100), [](const auto &info) { return "network_n" + std::to_string(info.param); });

}  // namespace
}  // namespace halocline::test
