// The trial of a plan in mode auto: which candidate moves the data of the next swap, how long the swaps took, and which one wins. All of
// it follows from the numbers of swaps, which all ranks share, and from what they have agreed upon. So every swap has one mode on all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "choice/agreement.hpp"

namespace halocline::core {

/// Names what a swap moves: swaps are compared with others that move the same. 0: a swap that is never compared.
using SwapSignature = std::uint64_t;

///  measuring  candidates take turns, in heats; slow ones drop out
///  agreeing   a few more swaps by the leader, while the measured times travel
///  watching   the winner's swaps are timed again
///  settling   as agreeing
///  resting    nothing is timed until the owner asks again
class Trial {
 public:
  static constexpr int kMost = 3;  // candidates

  /// period: swaps between two looks at the winner; 0: none. The first candidate is the one that is expected to win.
  Trial(Communicator &communicator, std::int64_t serial, int candidates, std::int64_t period);
  /// Collective.
  Status create() { return agreement_.create(); }
  void end(bool broken) { agreement_.end(broken); }
  /// This candidate shows views. It wins without a comparison if all swaps are finished by views, which copy nothing.
  void set_views(int candidate) { shows_views_ = candidate; }

  /// A swap starts. Returns the candidate that moves its data.
  int start(SwapSignature signature);
  /// It has spent so much time inside the library.
  void spend(std::int64_t ns) { spent_ns_ += ns; }
  /// It is over. May wait for ranks that are more than kLag swaps behind.
  Status finish(bool by_views);

  /// True while candidates change from swap to swap, or may do so at the next one.
  bool is_trying() const { return phase_ == Phase::measuring || phase_ == Phase::agreeing; }
  bool is_resting() const { return phase_ == Phase::resting; }
  int leader() const { return leader_; }
  std::int64_t period() const { return period_; }
  /// True once since the last call: a winner has been found.
  bool take_verdict() { return std::exchange(verdict_, false); }
  /// The best of those that have lost; -1: there is none left.
  int runner_up() const;
  /// The candidate that other ranks may still use when this rank has found a winner.
  int last_leader() const { return last_leader_; }
  /// The candidate is gone, and is never tried again.
  void withdraw(int candidate);

  /// The slowest rank's time of each counted swap of a candidate in the last trial, in nanoseconds.
  const std::vector<std::int64_t> &times(int candidate) const { return times_[static_cast<std::size_t>(candidate)]; }
  int trials() const { return trials_; }
  /// Swaps that trials have taken so far.
  int swaps() const { return swaps_; }
  bool won_by_views() const { return won_by_views_; }
  /// The winner's time when it had won, and when it was last looked at; 0: not known yet.
  std::int64_t baseline_ns() const { return baseline_ns_; }
  std::int64_t last_ns() const { return last_ns_; }

 private:
  enum class Phase { measuring, agreeing, watching, settling, resting };

  void begin_trial();
  void begin_heat();
  Status finish_measured(bool by_views);
  Status ask(Phase next);
  Status conclude_heat();
  void take_times();
  void drop_slow();
  void decide(int winner);
  void begin_watch();
  Status finish_watched();
  Status conclude_watch();

  Agreement agreement_;
  std::int64_t period_;
  std::vector<int> candidates_, alive_;  // still there; still in the running trial
  std::array<std::vector<std::int64_t>, kMost> times_, mine_;  // of all ranks, of all heats; this rank's, of this heat
  Phase phase_ = Phase::measuring;
  SwapSignature tried_ = 0, now_ = 0;  // what is compared, and the running swap
  bool counted_ = false, verdict_ = false, won_by_views_ = false;
  int leader_ = 0, last_leader_ = 0, shows_views_ = -1;
  int heat_ = 0, turn_ = 0, left_ = 0, others_ = 0;  // others: swaps in a row that were not those that are compared
  int by_views_ = 0, strikes_ = 0, trials_ = 1, swaps_ = 0;
  std::vector<std::int64_t> scratch_;
  std::size_t looked_ = 0;  // times of a look that has not been concluded
  std::int64_t spent_ns_ = 0, baseline_ns_ = 0, last_ns_ = 0;
};

/// The middle one of some times; 0 of none. Allocates nothing.
std::int64_t median_ns(const std::vector<std::int64_t> &times);

}  // namespace halocline::core
