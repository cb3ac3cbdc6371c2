// SPDX-License-Identifier: BSD-3-Clause
#include "choice/trial.hpp"

#include <algorithm>

namespace halocline::core {
namespace {

/// A heat: swaps of each candidate, the first of which are not counted, and how many times the best one's time a candidate may take and
/// stay. Slow candidates cost few swaps, and close ones are compared longer.
struct Heat {
  int swaps, warm_ups;
  double limit;
};
constexpr Heat kHeats[] = {{3, 1, 2.0}, {3, 0, 1.25}, {6, 0, 0}};
constexpr int kLastHeat = 2, kMostSwaps = 6;

/// Swaps between the beginning of an agreement and its conclusion: time for the messages, and for ranks that are behind.
constexpr int kLag = 4;
/// Swaps that are timed in a look at the winner.
constexpr int kWatched = 8;
/// A trial begins anew with another kind of swap after so many of them in a row.
constexpr int kPatience = 8;
/// A winner is replaced by a faster one only if that is faster by so much.
constexpr double kClearly = 0.97;
/// The time of the winner has drifted if it has changed by this factor, twice in a row.
constexpr double kDrift = 1.5;
constexpr int kStrikes = 2;

constexpr int kNumbers = Trial::kMost * std::max(kMostSwaps, kWatched) + 1;

std::int64_t least(const std::vector<std::int64_t> &times) { return times.empty() ? 0 : *std::min_element(times.begin(), times.end()); }

}  // namespace

std::int64_t median_ns(const std::vector<std::int64_t> &times) {
  for (const std::int64_t ns : times) {
    const auto below = std::count_if(times.begin(), times.end(), [ns](std::int64_t other) { return other < ns; });
    const auto equal = std::count(times.begin(), times.end(), ns), middle = static_cast<std::ptrdiff_t>(times.size() / 2);
    if (below <= middle && middle < below + equal) return ns;
  }
  return 0;
}

Trial::Trial(Communicator &communicator, std::int64_t serial, int candidates, std::int64_t period)
    : agreement_(communicator, serial, kNumbers), period_(period) {
  std::size_t all = 0;
  for (const Heat &heat : kHeats) all += static_cast<std::size_t>(heat.swaps);
  for (int c = 0; c < candidates; ++c) {
    candidates_.push_back(c);
    times_[static_cast<std::size_t>(c)].reserve(all);
    mine_[static_cast<std::size_t>(c)].reserve(static_cast<std::size_t>(std::max(kMostSwaps, kWatched)));
  }
  alive_.reserve(candidates_.size());
  scratch_.reserve(kWatched);
  begin_trial();
}

/// The leader has the first turn: views of its last swap may still be out.
void Trial::begin_trial() {
  alive_.assign(1, leader_);
  for (const int c : candidates_)
    if (c != leader_) alive_.push_back(c);
  for (auto &times : times_) times.clear();
  heat_ = 0;
  tried_ = 0;
  won_by_views_ = false;
  baseline_ns_ = last_ns_ = 0;
  strikes_ = 0;
  begin_heat();
}

void Trial::begin_heat() {
  for (auto &times : mine_) times.clear();
  turn_ = others_ = by_views_ = 0;
  phase_ = Phase::measuring;
}

int Trial::start(SwapSignature signature) {
  spent_ns_ = 0;
  now_ = signature;
  if (phase_ == Phase::resting) {
    begin_watch();
  }
  if (phase_ == Phase::measuring && tried_ == 0) tried_ = signature;
  counted_ = signature != 0 && signature == tried_;
  if (phase_ != Phase::measuring || !counted_) return leader_;
  return alive_[static_cast<std::size_t>(turn_) % alive_.size()];
}

Status Trial::finish(bool by_views) {
  if (is_trying()) swaps_ += 1;
  switch (phase_) {
    case Phase::measuring: return finish_measured(by_views);
    case Phase::watching: return finish_watched();
    case Phase::agreeing:
    case Phase::settling: break;
    case Phase::resting: return Status::ok;
  }
  if (const Status polled = agreement_.poll(); failed(polled)) return polled;
  left_ -= 1;
  if (left_ > 0) return Status::ok;
  if (phase_ == Phase::agreeing) return conclude_heat();
  phase_ = Phase::resting;
  return Status::ok;
}

// ---------------------------------------------------------------- heats

Status Trial::finish_measured(bool by_views) {
  if (!counted_) {
    others_ += 1;
    if (others_ < kPatience || now_ == 0) return Status::ok;
    begin_trial();
    return Status::ok;
  }
  others_ = 0;
  const auto among = static_cast<int>(alive_.size()), round = turn_ / among;
  const auto c = static_cast<std::size_t>(alive_[static_cast<std::size_t>(turn_ % among)]);
  if (round >= kHeats[heat_].warm_ups) mine_[c].push_back(spent_ns_);
  by_views_ += by_views ? 1 : 0;
  turn_ += 1;
  return turn_ == among * kHeats[heat_].swaps ? ask(Phase::agreeing) : Status::ok;
}

/// Tells the others this rank's times. The last number is the smallest of all ranks' numbers of swaps that ended with views, negative.
Status Trial::ask(Phase next) {
  std::vector<std::int64_t> &numbers = agreement_.mine();
  std::size_t n = 0;
  for (const auto &times : mine_)
    for (const std::int64_t ns : times) numbers[n++] = ns;
  std::fill(numbers.begin() + static_cast<std::ptrdiff_t>(n), numbers.end(), 0);
  numbers.back() = -by_views_;
  last_leader_ = leader_;
  left_ = kLag;
  phase_ = next;
  return agreement_.begin();
}

Status Trial::conclude_heat() {
  HLC_TRY(agreement_.await());
  take_times();
  if (shows_views_ >= 0 && -agreement_.largest().back() == turn_) {
    won_by_views_ = true;
    decide(shows_views_);
    return Status::ok;
  }
  drop_slow();
  if (alive_.size() > 1 && heat_ < kLastHeat) {
    heat_ += 1;
    begin_heat();
    return Status::ok;
  }
  const auto faster = [this](int a, int b) { return median_ns(times(a)) < median_ns(times(b)); };
  const int best = *std::min_element(alive_.begin(), alive_.end(), faster), first = alive_.front();
  const bool clearly = static_cast<double>(median_ns(times(best))) < kClearly * static_cast<double>(median_ns(times(first)));
  decide(clearly ? best : first);
  return Status::ok;
}

void Trial::take_times() {
  std::size_t n = 0;
  for (std::size_t c = 0; c < mine_.size(); ++c)
    for (std::size_t i = 0; i < mine_[c].size(); ++i) times_[c].push_back(agreement_.largest()[n++]);
}

/// By the least times, which a disturbance of one swap does not change.
void Trial::drop_slow() {
  const auto faster = [this](int a, int b) { return least(times(a)) < least(times(b)); };
  leader_ = *std::min_element(alive_.begin(), alive_.end(), faster);
  const double limit = kHeats[heat_].limit * static_cast<double>(least(times(leader_)));
  if (heat_ == kLastHeat) return;
  alive_.erase(std::remove_if(alive_.begin(), alive_.end(), [&](int c) { return static_cast<double>(least(times(c))) > limit; }),
               alive_.end());
}

void Trial::decide(int winner) {
  leader_ = winner;
  verdict_ = true;
  begin_watch();
  if (period_ == 0) phase_ = Phase::resting;
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

// ---------------------------------------------------------------- drift

void Trial::begin_watch() {
  for (auto &times : mine_) times.clear();
  turn_ = by_views_ = 0;
  phase_ = Phase::watching;
}

/// What the last look has found is concluded at the first swap of this one, when it has long been there.
Status Trial::finish_watched() {
  if (looked_ > 0 && turn_ == 0) HLC_TRY(conclude_watch());
  if (phase_ != Phase::watching) return Status::ok;
  if (counted_) mine_[0].push_back(spent_ns_);
  turn_ += 1;
  if (turn_ < kWatched) return Status::ok;
  looked_ = mine_[0].size();
  return ask(Phase::settling);
}

/// Swaps of another kind are not compared: a look at fewer than half of its swaps says nothing.
Status Trial::conclude_watch() {
  HLC_TRY(agreement_.await());
  const auto begin = agreement_.largest().begin();
  const std::vector<std::int64_t>::size_type looked = std::exchange(looked_, 0);
  if (looked < kWatched / 2) return Status::ok;
  scratch_.assign(begin, begin + static_cast<std::ptrdiff_t>(looked));
  last_ns_ = median_ns(scratch_);
  if (baseline_ns_ == 0) baseline_ns_ = last_ns_;
  const double change = static_cast<double>(last_ns_) / static_cast<double>(std::max<std::int64_t>(baseline_ns_, 1));
  strikes_ = change > kDrift || change < 1 / kDrift ? strikes_ + 1 : 0;
  if (strikes_ < kStrikes) return Status::ok;
  trials_ += 1;
  begin_trial();
  return Status::ok;
}

}  // namespace halocline::core
