// The trial of mode auto, with times that the test makes up: no plan, no swap.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "choice/trial.hpp"

#include <array>
#include <chrono>
#include <thread>

#include "api/handles.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {
namespace {

using core::Status;
using core::Trial;

/// A trial of three candidates that take so many nanoseconds per swap.
class Made {
 public:
  explicit Made(std::array<std::int64_t, 3> ns) : ns_(ns), trial(context()->inner, 0, 3, 1000) { EXPECT_EQ(trial.create(), Status::ok); }
  ~Made() { trial.end(false); }
  Made(const Made &) = delete;
  Made &operator=(const Made &) = delete;

  /// A swap, as the owner makes it. Returns the candidate that has moved the data.
  int swap(bool by_views = false) {
    const int candidate = trial.start(1);
    trial.spend(ns_[static_cast<std::size_t>(candidate)]);
    EXPECT_EQ(trial.finish(by_views), Status::ok);
    return candidate;
  }
  /// Until there is a winner; then those that are not needed any more are gone.
  void find_winner() {
    for (int i = 0; i < 200 && !trial.take_verdict(); ++i) swap();
    const int second = trial.runner_up();
    for (int c = 0; c < 3; ++c)
      if (c != trial.leader() && c != second) trial.withdraw(c);
  }

 private:
  std::array<std::int64_t, 3> ns_;

 public:
  Trial trial;
};

TEST(Trial, ends_with_the_fastest) {
  Made made({3000, 1000, 2000});
  made.find_winner();
  EXPECT_EQ(made.trial.leader(), 1);
  EXPECT_EQ(made.trial.runner_up(), 2);
}

/// Swaps that all end by views choose the candidate that shows them, unless its plan is gone.
TEST(Trial, never_chooses_a_candidate_that_is_gone) {
  Made made({3000, 1000, 2000});
  made.trial.set_views(0);
  made.find_winner();
  EXPECT_EQ(made.trial.leader(), 1);
  for (int i = 0; i < 300; ++i) ASSERT_NE(made.swap(true), 0) << "in swap " << i;
}

TEST(Trial, chooses_the_candidate_that_shows_views_while_it_is_there) {
  Made made({1500, 1000, 4000});
  made.trial.set_views(0);
  made.find_winner();
  EXPECT_EQ(made.trial.leader(), 1);
  for (int i = 0; i < 60; ++i) made.swap(true);
  EXPECT_EQ(made.trial.leader(), 0);
}

/// A look at the winner is over, and a rank is late to tell what it has found. Nothing new is told before that has arrived.
TEST(Trial, tells_nothing_new_while_a_rank_has_not_told_the_last) {
  if (size() == 1) GTEST_SKIP() << "one rank waits for no other";
  Made made({3000, 1000, 2000});
  made.find_winner();
  constexpr int kLook = 8, kLag = 6, kSecondLook = 18;
  constexpr std::chrono::milliseconds late(200);
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begin = std::chrono::steady_clock::now();
  if (rank() == 1) std::this_thread::sleep_for(late);
  for (int i = 0; i < kLook + kLag + kSecondLook; ++i) made.swap();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, late - std::chrono::milliseconds(20));
  for (int i = 0; i < kLag; ++i) made.swap();
  EXPECT_EQ(made.trial.leader(), 1);
}

}  // namespace
}  // namespace halocline::test
