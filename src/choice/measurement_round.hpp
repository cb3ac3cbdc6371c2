// A round of a trial: each candidate makes a row of swaps, one candidate after the other, and each row is timed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halocline::core {

class MeasurementRound {
 public:
  static constexpr int kMax = 3;  // candidates
  /// The number of swaps that are timed together, since a rank that ends a swap early waits longer in the next one.
  static constexpr int kTogether = 2;

  /// Begins a round of `swaps_each` swaps per candidate. The first swap of a candidate warms up and is not counted. Allocates nothing after
  /// `reserve`.
  void begin(const std::vector<int> &candidates, int number, int swaps_each) {
    candidates_ = &candidates;
    number_ = number, each_ = swaps_each;
    turn_ = by_views_ = others_ = 0;
    for (auto &times : mine_) times.clear();
  }
  void reserve(int swaps_each) {
    for (auto &times : mine_) times.reserve(static_cast<std::size_t>(swaps_each / kTogether));
  }
  int on_turn() const { return (*candidates_)[static_cast<std::size_t>(turn_ / each_)]; }
  /// Adds the time of this rank for a swap of the current candidate.
  void add(std::int64_t ns, bool by_views) {
    const int in_row = turn_ % each_;
    together_ns_ = in_row % kTogether == 1 ? ns : together_ns_ + ns;
    if (in_row > 0 && in_row % kTogether == 0) mine_[static_cast<std::size_t>(on_turn())].push_back(together_ns_ / kTogether);
    by_views_ += by_views ? 1 : 0;
    turn_ += 1;
    others_ = 0;
  }
  /// Counts a swap of another kind, which is not timed. Returns how many of these there were in a row.
  int pass_over() { return ++others_; }
  bool is_over() const { return turn_ == static_cast<int>(candidates_->size()) * each_; }
  /// The number of rounds of the trial before this one.
  int number() const { return number_; }
  /// Swaps so far, and those that were finished by views.
  int swaps() const { return turn_; }
  int by_views() const { return by_views_; }
  /// This rank's times, by candidate: nanoseconds per swap.
  const std::array<std::vector<std::int64_t>, kMax> &mine() const { return mine_; }

 private:
  const std::vector<int> *candidates_ = nullptr;
  int number_ = 0, each_ = 1, turn_ = 0, by_views_ = 0, others_ = 0;
  std::int64_t together_ns_ = 0;
  std::array<std::vector<std::int64_t>, kMax> mine_;
};

}  // namespace halocline::core
