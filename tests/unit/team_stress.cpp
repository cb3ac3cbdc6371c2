// Threads that share jobs and rounds under ThreadSanitizer. Every item is done once, by a thread that sees what the poster wrote. Its
// result is seen by the poster and, after the round, by all.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <thread>
#include <vector>

#include "blocks/parts.hpp"
#include "blocks/team.hpp"

namespace halocline::core {
namespace {

constexpr int kParts = 4, kItems = 37, kRounds = 3000;

/// What Blocks does with its threads, on plain numbers. The last thread to start posts a job, and so does the one that drives the swap.
class Rounds {
 public:
  Rounds() : team_(kParts), job_(kParts, [this](int item) { result_[static_cast<std::size_t>(item)] += task_ + item; }), own_(kParts) {
    std::vector<int> part_of;
    for (int i = 0; i < kItems; ++i) part_of.push_back(i * i % kParts);
    order_.sort(part_of, kParts);
  }

  int faults() {
    std::vector<std::thread> threads;
    for (int part = 0; part < kParts; ++part) threads.emplace_back([this, part] { play(part); });
    for (std::thread &thread : threads) thread.join();
    return faults_;
  }

 private:
  void play(int part) {
    for (int round = 1; round <= kRounds; ++round) {
      own_[static_cast<std::size_t>(part)] = round;  // as a thread writes its blocks between swaps
      Parts::Entry entry{};
      static_cast<void>(team_.start(part, [](bool) { return Status::ok; }, &entry));
      if (entry == Parts::Entry::last) {
        run_job(part, round);
        team_.launched();
      }
      finish(part, round);
    }
  }

  void finish(int part, int round) {
    const std::uint64_t number = team_.round_of(part);
    ThreadPause wait;
    while (!team_.is_launched(number))
      if (!job_.help(static_cast<std::size_t>(part))) wait.pause();
    if (!team_.is_finished(number) && team_.drives(number)) {
      run_job(part, round);
      team_.finished(number);
    }
    while (!team_.is_finished(number))
      if (!job_.help(static_cast<std::size_t>(part))) wait.pause();
    static_cast<void>(team_.leave(part));
  }

  /// Two jobs in a row, as for the messages of two neighbours.
  void run_job(int part, int round) {
    for (const int start : own_) faults_ += start == round ? 0 : 1;
    for (int i = 0; i < 2; ++i) {
      task_ = round * 2 + i;
      result_.assign(kItems, 0);
      job_.run(order_, static_cast<std::size_t>(part));
      for (int item = 0; item < kItems; ++item) faults_ += result_[static_cast<std::size_t>(item)] == task_ + item ? 0 : 1;
    }
  }

  Parts team_;
  SharedJob job_;
  PartOrder order_;
  int task_ = 0, faults_ = 0;
  std::vector<int> result_ = std::vector<int>(kItems);
  std::vector<int> own_;
};

}  // namespace
}  // namespace halocline::core

int main() {
  halocline::core::Rounds rounds;
  const int faults = rounds.faults();
  std::printf("%d rounds of %d threads: %d faults\n", halocline::core::kRounds, halocline::core::kParts, faults);
  return faults == 0 ? 0 : 1;
}
