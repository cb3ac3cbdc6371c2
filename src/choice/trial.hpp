// The trial of a plan in mode auto: which candidate moves the data of the next swap, how long swaps took, and which candidate wins. All of
// it follows from the numbers of swaps, which all ranks share, and from what they have agreed upon. So every swap has one mode on all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "choice/agreement.hpp"
#include "choice/drift.hpp"
#include "choice/measurement_round.hpp"

namespace halocline::core {

/// Names what a swap moves: swaps are compared with others that move the same. Never 0.
using SwapSignature = std::uint64_t;

class Trial {
 public:
  /// period: swaps between two looks at the winner; 0: none. The first candidate is the one that is expected to win.
  Trial(Communicator &communicator, const PlanName &plan, int candidates, std::int64_t period);
  /// Collective.
  Status create() { return agreement_.create(); }
  void end(bool broken) { agreement_.end(broken); }
  /// This candidate shows views. It wins without a comparison if all swaps are finished by views, which copy nothing.
  void set_views(int candidate) { shows_views_ = candidate; }

  /// A swap starts. Returns the candidate that moves its data.
  int start(SwapSignature signature);
  /// It has spent so much time inside the library.
  void spend(std::int64_t ns) { swap_.spent_ns += ns; }
  /// It is over. May wait for ranks that are several swaps behind.
  Status finish(bool by_views);

  /// True while candidates change from swap to swap, or may do so at the next one.
  bool is_trying() const { return phase_ == Phase::measuring || phase_ == Phase::agreeing; }
  /// While nothing is timed: the number of swaps after which the owner calls `start` again. 0 while swaps are timed.
  std::int64_t rest() const;
  int leader() const { return leader_; }
  std::int64_t period() const { return period_; }
  /// True once after a winner has been found.
  bool reached_decision() { return std::exchange(now_.decided, false); }
  /// True once after all ranks are known to have ended a look at the winner.
  bool reached_look() { return std::exchange(now_.looked, false); }
  /// The best of those that have lost; -1: there is none.
  int runner_up() const;
  /// The candidate that other ranks may still use when this rank has found a winner.
  int last_leader() const { return last_leader_; }
  /// The candidate is withdrawn, and is never tried again. False if it was withdrawn before.
  bool withdraw(int candidate);

  /// For explanations: trials so far, and the swaps that they took.
  struct Report {
    int trials = 1, swaps = 0;
    bool won_by_views = false;
    bool given_up = false;  // no kind of swap was frequent enough to be compared
  };
  const Report &report() const { return report_; }
  const Drift &drift() const { return drift_; }
  /// A candidate's times in the last trial, the means of all ranks, in nanoseconds per swap; each is also the mean of
  /// MeasurementRound::kTogether swaps.
  const std::vector<std::int64_t> &times(int candidate) const { return times_[static_cast<std::size_t>(candidate)]; }

 private:
  /// measuring: rounds, in which each candidate makes a row of swaps, and slow candidates drop out. agreeing: a few more swaps by the
  /// leader, while the measured times are reduced. watching, settling: the same with the winner alone. resting: nothing is timed.
  enum class Phase { measuring, agreeing, watching, settling, resting };

  void begin_trial();
  void begin_round(int number);
  Status finish_measured(bool by_views);
  Status ask(Phase next);
  Status conclude_round();
  void drop_slow();
  void decide(int winner);
  Status finish_watched();

  Agreement agreement_;
  Drift drift_;
  std::int64_t period_;
  std::vector<int> candidates_, alive_;  // still there; still in the running trial
  std::array<std::vector<std::int64_t>, MeasurementRound::kMax> times_;  // of all ranks, of all rounds
  Phase phase_ = Phase::measuring;
  struct {
    SwapSignature compared = 0, signature = 0;  // what swaps are compared; what the running one moves
    bool counts = false;
    std::int64_t spent_ns = 0;
  } swap_;
  MeasurementRound round_;
  int leader_ = 0, last_leader_ = 0, shows_views_ = -1;
  struct {
    bool has_winner = false, decided = false, rematch_due = false, looked = false;
    int kinds = 0;  // of swap that were not seen again in this trial
  } now_;
  Report report_;
};

}  // namespace halocline::core
