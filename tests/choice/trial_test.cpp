// The trial of mode auto, with times that the test makes up: no plan, no swap.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "choice/trial.hpp"

#include <array>
#include <chrono>
#include <thread>

#include "api/handles.hpp"
#include "choice/connected.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {
namespace {

using core::Status;
using core::Trial;

/// A trial of three candidates that take so many nanoseconds per swap.
class Made {
 public:
  explicit Made(std::array<std::int64_t, 3> ns) : ns_(ns), trial(context()->inner, {}, 3, 1000) { EXPECT_EQ(trial.create(), Status::ok); }
  ~Made() { trial.end(false); }
  Made(const Made &) = delete;
  Made &operator=(const Made &) = delete;

  /// A swap, as the owner makes it. Returns the candidate that has moved the data.
  int swap(bool by_views = false, core::SwapSignature kind = 1) {
    const int candidate = trial.start(kind);
    trial.spend(ns_[static_cast<std::size_t>(candidate)]);
    EXPECT_EQ(trial.finish(by_views), Status::ok);
    return candidate;
  }
  void make_slower(int candidate, std::int64_t ns) { ns_[static_cast<std::size_t>(candidate)] = ns; }
  /// Until there is a winner; then those that are not needed any more are gone.
  void find_winner() {
    for (int i = 0; i < 200 && !trial.reached_decision(); ++i) swap();
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

/// As where the load changes, or ranks are moved.
TEST(Trial, follows_when_the_winner_becomes_slower_than_the_second) {
  Made made({3000, 1000, 2000});
  made.find_winner();
  for (int i = 0; i < 1200; ++i) made.swap();
  EXPECT_EQ(made.trial.leader(), 1);
  made.make_slower(1, 5000);
  int swaps = 0;
  for (; swaps < 6000 && made.trial.leader() != 2; ++swaps) made.swap();
  EXPECT_EQ(made.trial.leader(), 2) << "after " << swaps << " swaps";
  EXPECT_EQ(made.trial.report().trials, 2);
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

/// A program that swaps field by field: the kind that is compared is one in so many swaps.
TEST(Trial, ends_where_many_kinds_of_swap_take_turns) {
  for (const int kinds : {2, 9, 29, 64}) {
    Made made({3000, 1000, 2000});
    int swaps = 0;
    for (; swaps < 100 * kinds && !made.trial.reached_decision(); ++swaps)
      made.swap(false, 1 + static_cast<core::SwapSignature>(swaps % kinds));
    EXPECT_LT(swaps, 60 * kinds);
    EXPECT_EQ(made.trial.leader(), 1) << kinds << " kinds";
    EXPECT_FALSE(made.trial.report().given_up);
  }
}

/// Then what the last leader holds may be freed, though other ranks had been using it when this one learned of the winner.
TEST(Trial, knows_when_all_ranks_have_looked_at_the_winner) {
  Made made({3000, 1000, 2000});
  made.find_winner();
  EXPECT_FALSE(made.trial.reached_look());
  int swaps = 0;
  for (; swaps < 3000 && !made.trial.reached_look(); ++swaps) made.swap();
  EXPECT_LT(swaps, 3000);
  EXPECT_FALSE(made.trial.reached_look()) << "once";
}

TEST(Trial, gives_up_where_no_kind_comes_again) {
  Made made({3000, 1000, 2000});
  int swaps = 0;
  for (; swaps < 1000 && !made.trial.reached_decision(); ++swaps) made.swap(false, 1 + static_cast<core::SwapSignature>(swaps));
  EXPECT_LT(swaps, 250);
  EXPECT_TRUE(made.trial.report().given_up);
  EXPECT_EQ(made.trial.leader(), 0) << "the one that was expected to win";
}

TEST(Trial, begins_anew_when_the_program_swaps_something_else) {
  // Before the winner is compared with the second best once more, and after that. Then looks at the winner do not see the kind any more.
  for (const int before : {0, 60}) {
    Made made({3000, 1000, 2000});
    made.find_winner();
    for (int i = 0; i < before; ++i) made.swap();
    int swaps = 0;
    for (; swaps < 1000 && made.trial.report().trials == 1; ++swaps) made.swap(false, 2);
    EXPECT_EQ(made.trial.report().trials, 2);
    EXPECT_LT(swaps, 250);
    for (int i = 0; i < 200 && made.trial.is_trying(); ++i) made.swap(false, 2);
    EXPECT_EQ(made.trial.leader(), 1);
    EXPECT_FALSE(made.trial.is_trying());
  }
}

bool are_connected(const std::vector<int> &neighbours) {
  bool connected = false;
  EXPECT_EQ(core::find_connected(context()->inner, neighbours, &connected), Status::ok);
  return connected;
}

TEST(Connected, ranks_are_so_by_the_neighbours_of_their_neighbours) {
  EXPECT_TRUE(are_connected({(rank() + 1) % size()})) << "a ring";
  EXPECT_TRUE(are_connected(rank() + 1 < size() ? std::vector<int>{rank() + 1} : std::vector<int>{})) << "a chain";
  std::vector<int> others;
  for (int other = 1; rank() == 0 && other < size(); ++other) others.push_back(other);
  EXPECT_TRUE(are_connected(others)) << "a star, which only its middle knows";
  EXPECT_EQ(are_connected({}), size() == 1);
  EXPECT_EQ(are_connected({std::min(rank() ^ 1, size() - 1)}), size() <= 2) << "pairs";
  EXPECT_EQ(are_connected({(rank() + 2) % size()}), size() % 2 == 1) << "every second rank";
}

/// A look at the winner is over, and a rank is late to tell what it has found. Nothing new is told before that has arrived.
TEST(Trial, tells_nothing_new_while_a_rank_has_not_told_the_last) {
  if (size() == 1) GTEST_SKIP() << "one rank waits for no other";
  Made made({3000, 1000, 2000});
  made.find_winner();
  constexpr int kLook = 8, kLag = 6, kRecheckAfter = 18;
  constexpr std::chrono::milliseconds late(200);
  const auto begin = std::chrono::steady_clock::now();  // on no rank later than rank 1 begins to sleep
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() == 1) std::this_thread::sleep_for(late);
  for (int i = 0; i < kLook + kLag + kRecheckAfter; ++i) made.swap();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, late);
  for (int i = 0; i < kLag; ++i) made.swap();
  EXPECT_EQ(made.trial.leader(), 1);
}

}  // namespace
}  // namespace halocline::test
