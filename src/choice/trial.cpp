// SPDX-License-Identifier: BSD-3-Clause
#include "choice/trial.hpp"

#include <algorithm>

namespace halocline::core {
namespace {

/// A heat: how many swaps each candidate makes, and how many of these are not counted. A candidate stays if it takes at most so many times
/// the best one's time. Slow candidates cost few swaps, and close ones are compared longer.
struct Heat {
  int swaps, warm_ups;
  double limit;
};
constexpr Heat kHeats[] = {{3, 1, 2.0}, {3, 0, 1.25}, {6, 0, 0}};
constexpr int kLastHeat = 2, kMostSwaps = 6;

/// Swaps between the beginning of an agreement and its conclusion: time for the messages, and for ranks that are behind.
constexpr int kLag = 4;
/// A trial begins anew with another kind of swap after so many of them in a row.
constexpr int kPatience = 8;
/// The expected winner, or the present one, is replaced only by a candidate that is faster by so much.
constexpr double kClearly = 0.97;

constexpr int kNumbers = Trial::kMost * std::max(kMostSwaps, Drift::kSwaps) + 1;

std::int64_t least(const std::vector<std::int64_t> &times) { return times.empty() ? 0 : *std::min_element(times.begin(), times.end()); }

}  // namespace

Trial::Trial(Communicator &communicator, std::int64_t serial, int candidates, std::int64_t period)
    : agreement_(communicator, serial, kNumbers), period_(period) {
  std::size_t all = 0;
  for (const Heat &heat : kHeats) all += static_cast<std::size_t>(heat.swaps);
  for (int c = 0; c < candidates; ++c) {
    candidates_.push_back(c);
    times_[static_cast<std::size_t>(c)].reserve(all);
    mine_[static_cast<std::size_t>(c)].reserve(kMostSwaps);
  }
  alive_.reserve(candidates_.size());
  begin_trial();
}

/// The leader has the first turn: views of its last swap may still be out.
void Trial::begin_trial() {
  alive_.assign(1, leader_);
  for (const int c : candidates_)
    if (c != leader_) alive_.push_back(c);
  for (auto &times : times_) times.clear();
  heat_.number = 0;
  swap_.compared = 0;
  report_.won_by_views = false;
  drift_.forget();
  begin_heat();
}

void Trial::begin_heat() {
  for (auto &times : mine_) times.clear();
  heat_.turn = heat_.others = heat_.by_views = 0;
  phase_ = Phase::measuring;
}

int Trial::start(SwapSignature signature) {
  if (phase_ == Phase::resting) {
    phase_ = Phase::watching;
    drift_.begin_look();
  }
  const bool is_first = phase_ == Phase::measuring && swap_.compared == 0;
  swap_ = {swap_.compared, signature, signature != 0 && (is_first || signature == swap_.compared), 0};
  if (phase_ != Phase::measuring || !swap_.counts) return leader_;
  return alive_[static_cast<std::size_t>(heat_.turn) % alive_.size()];
}

Status Trial::finish(bool by_views) {
  if (swap_.counts) swap_.compared = swap_.signature;  // not before: this rank's start may have been refused
  if (is_trying()) report_.swaps += 1;
  if (phase_ == Phase::measuring) return finish_measured(by_views);
  if (phase_ == Phase::watching) return finish_watched();
  if (phase_ == Phase::resting) return Status::ok;
  if (const Status passed = agreement_.pass(); passed != Status::ok) return passed == Status::again ? Status::ok : passed;
  if (phase_ == Phase::agreeing) return conclude_heat();
  phase_ = Phase::resting;
  return Status::ok;
}

// ---------------------------------------------------------------- heats

Status Trial::finish_measured(bool by_views) {
  if (!swap_.counts) {
    heat_.others += 1;
    if (heat_.others >= kPatience && swap_.signature != 0) begin_trial();
    return Status::ok;
  }
  const Heat &heat = kHeats[heat_.number];
  const auto among = static_cast<int>(alive_.size());
  const auto c = static_cast<std::size_t>(alive_[static_cast<std::size_t>(heat_.turn % among)]);
  if (heat_.turn / among >= heat.warm_ups) mine_[c].push_back(swap_.spent_ns);
  heat_.others = 0;
  heat_.by_views += by_views ? 1 : 0;
  heat_.turn += 1;
  if (heat_.turn < among * heat.swaps) return Status::ok;
  for (const auto &times : mine_) agreement_.tell(times);
  // The smallest of all ranks' numbers of swaps that ended with views is the largest of the negative ones.
  agreement_.tell_last(-heat_.by_views);
  return ask(Phase::agreeing);
}

Status Trial::ask(Phase next) {
  last_leader_ = leader_;
  phase_ = next;
  return agreement_.begin(kLag);
}

Status Trial::conclude_heat() {
  HLC_TRY(agreement_.await());
  std::size_t n = 0;
  for (std::size_t c = 0; c < mine_.size(); ++c)
    for (std::size_t i = 0; i < mine_[c].size(); ++i) times_[c].push_back(agreement_.largest()[n++]);
  if (shows_views_ >= 0 && -agreement_.largest().back() == heat_.turn) {
    report_.won_by_views = true;
    decide(shows_views_);
    return Status::ok;
  }
  drop_slow();
  if (alive_.size() > 1 && heat_.number < kLastHeat) {
    heat_.number += 1;
    begin_heat();
    return Status::ok;
  }
  const auto faster = [this](int a, int b) { return median_ns(times(a)) < median_ns(times(b)); };
  const int best = *std::min_element(alive_.begin(), alive_.end(), faster), first = alive_.front();
  const bool clearly = static_cast<double>(median_ns(times(best))) < kClearly * static_cast<double>(median_ns(times(first)));
  decide(clearly ? best : first);
  return Status::ok;
}

/// By the least times, which a disturbance of one swap does not change.
void Trial::drop_slow() {
  const auto faster = [this](int a, int b) { return least(times(a)) < least(times(b)); };
  leader_ = *std::min_element(alive_.begin(), alive_.end(), faster);
  if (heat_.number == kLastHeat) return;
  const double limit = kHeats[heat_.number].limit * static_cast<double>(least(times(leader_)));
  const auto is_slow = [&](int c) { return static_cast<double>(least(times(c))) > limit; };
  alive_.erase(std::remove_if(alive_.begin(), alive_.end(), is_slow), alive_.end());
}

void Trial::decide(int winner) {
  leader_ = winner;
  verdict_ = true;
  drift_.forget();
  phase_ = period_ > 0 ? Phase::watching : Phase::resting;
}

int Trial::runner_up() const {
  int best = -1;
  for (const int c : candidates_)
    if (c != leader_ && !times(c).empty() && (best < 0 || median_ns(times(c)) < median_ns(times(best)))) best = c;
  return best;
}

void Trial::withdraw(int candidate) {
  candidates_.erase(std::remove(candidates_.begin(), candidates_.end(), candidate), candidates_.end());
  if (candidates_.size() > 1) return;
  period_ = 0;
  phase_ = Phase::resting;
}

// ---------------------------------------------------------------- the winner's swaps

/// What the last look has found is concluded at the first swap of this one, when it has long been there.
Status Trial::finish_watched() {
  if (drift_.is_new() && drift_.is_asked()) {
    HLC_TRY(agreement_.await());
    if (drift_.conclude(agreement_.largest())) {
      report_.trials += 1;
      begin_trial();
      return Status::ok;
    }
  }
  drift_.add(swap_.counts, swap_.spent_ns);
  if (!drift_.is_over()) return Status::ok;
  drift_.asked();
  agreement_.tell(drift_.mine());
  return ask(Phase::settling);
}

}  // namespace halocline::core
