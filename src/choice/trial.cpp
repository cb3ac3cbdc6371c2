// SPDX-License-Identifier: BSD-3-Clause
#include "choice/trial.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace halocline::core {
namespace {

/// How many swaps each candidate makes in a round. It stays if it takes at most `limit` times the best one's time. Slow candidates cost few
/// swaps, and close ones are compared longer.
struct RoundRule {
  int swaps;
  double limit;
};
constexpr RoundRule kRounds[] = {{3, 2.5}, {3, 1.3}, {9, 0}};
constexpr int kLastRound = 2, kMaxSwaps = 9;

/// Swaps between the beginning of an agreement and its conclusion: time for the messages, and for ranks that are behind.
constexpr int kLag = 6;
/// After this number of swaps the winner is compared with the second best once more, without what disturbed the trial.
constexpr int kRecheckAfter = 100;
/// A trial begins again with another kind of swap if none of the compared kind was among the last kPatience swaps. Programs swap field by field,
/// so a kind may be one in as many swaps as there are fields. After kMaxKinds kinds the prediction decides.
constexpr int kPatience = 64, kMaxKinds = 3;
/// The expected winner, or the present one, is replaced only by a candidate that is faster by this factor.
constexpr double kClearly = 0.97;

constexpr int kNumbers = MeasurementRound::kMax * std::max(kMaxSwaps / MeasurementRound::kTogether, Drift::kSwaps) + 1;

std::int64_t least(const std::vector<std::int64_t> &times) { return times.empty() ? 0 : *std::min_element(times.begin(), times.end()); }

}  // namespace

Trial::Trial(Communicator &communicator, const PlanName &plan, int candidates, std::int64_t period)
    : agreement_(communicator, plan, kNumbers), period_(period) {
  std::size_t all = 0;
  for (const RoundRule &rule : kRounds) all += static_cast<std::size_t>(rule.swaps / MeasurementRound::kTogether);
  for (int c = 0; c < candidates; ++c) {
    candidates_.push_back(c);
    times_[static_cast<std::size_t>(c)].reserve(all);
  }
  round_.reserve(kMaxSwaps);
  alive_.reserve(candidates_.size());
  begin_trial();
}

/// The leader has the first turn: views of its last swap may still be out.
void Trial::begin_trial() {
  alive_.assign(1, leader_);
  for (const int c : candidates_)
    if (c != leader_) alive_.push_back(c);
  for (auto &times : times_) times.clear();
  swap_.compared = 0;
  report_.trials += std::exchange(now_.has_winner, false) ? 1 : 0;
  report_.won_by_views = report_.given_up = false;
  now_.rematch_due = period_ > 0;
  drift_.forget();
  begin_round(0);
}

void Trial::begin_round(int number) {
  round_.begin(alive_, number, kRounds[number].swaps);
  phase_ = Phase::measuring;
}

int Trial::start(SwapSignature signature) {
  if (phase_ == Phase::resting && now_.rematch_due && runner_up() >= 0) {
    alive_.assign({leader_, runner_up()});
    now_.rematch_due = report_.won_by_views = false;
    for (const int c : alive_) times_[static_cast<std::size_t>(c)].clear();
    begin_round(kLastRound);
  } else if (phase_ == Phase::resting) {
    phase_ = Phase::watching;
    drift_.begin_look();
  }
  const bool is_first = phase_ == Phase::measuring && swap_.compared == 0;
  swap_ = {swap_.compared, signature, is_first || signature == swap_.compared, 0};
  if (phase_ != Phase::measuring || !swap_.counts) return leader_;
  return round_.on_turn();
}

std::int64_t Trial::rest() const {
  if (phase_ != Phase::resting) return 0;
  if (period_ == 0) return std::numeric_limits<std::int64_t>::max();
  return now_.rematch_due && runner_up() >= 0 ? std::min<std::int64_t>(kRecheckAfter, period_) : period_;
}

Status Trial::finish(bool by_views) {
  if (swap_.counts) swap_.compared = swap_.signature;  // not before: this rank's start may have been refused
  if (is_trying()) report_.swaps += 1;
  if (phase_ == Phase::measuring) return finish_measured(by_views);
  if (phase_ == Phase::watching) return finish_watched();
  if (phase_ == Phase::resting) return Status::ok;
  if (const Status passed = agreement_.pass(); passed != Status::ok) return passed == Status::again ? Status::ok : passed;
  if (phase_ == Phase::agreeing) return conclude_round();
  phase_ = Phase::resting;
  return Status::ok;
}

// ---------------------------------------------------------------- rounds

Status Trial::finish_measured(bool by_views) {
  if (!swap_.counts) {
    if (round_.pass_over() < kPatience) return Status::ok;
    report_.given_up = ++now_.kinds == kMaxKinds;
    report_.given_up ? decide(leader_) : begin_trial();
    return Status::ok;
  }
  round_.add(swap_.spent_ns, by_views);
  if (!round_.is_over()) return Status::ok;
  HLC_TRY(agreement_.await());
  for (const auto &times : round_.mine()) agreement_.contribute(times);
  agreement_.contribute_last(round_.by_views());
  return ask(Phase::agreeing);
}

Status Trial::ask(Phase next) {
  last_leader_ = leader_;
  phase_ = next;
  return agreement_.begin(kLag);
}

Status Trial::conclude_round() {
  HLC_TRY(agreement_.await());
  std::size_t n = 0;
  for (std::size_t c = 0; c < MeasurementRound::kMax; ++c)
    for (std::size_t i = 0; i < round_.mine()[c].size(); ++i) times_[c].push_back(agreement_.means()[n++]);
  // The mean is so large only if all swaps of all ranks ended with views.
  if (shows_views_ >= 0 && agreement_.means().back() == round_.swaps()) {
    report_.won_by_views = true;
    decide(shows_views_);
    return Status::ok;
  }
  drop_slow();
  if (alive_.size() > 1 && round_.number() < kLastRound) {
    begin_round(round_.number() + 1);
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
  if (round_.number() == kLastRound) return;
  const double limit = kRounds[round_.number()].limit * static_cast<double>(least(times(leader_)));
  const auto is_slow = [&](int c) { return static_cast<double>(least(times(c))) > limit; };
  alive_.erase(std::remove_if(alive_.begin(), alive_.end(), is_slow), alive_.end());
}

void Trial::decide(int winner) {
  leader_ = winner;
  now_.has_winner = true;
  now_.kinds = 0;
  now_.decided = true;
  drift_.forget();
  phase_ = period_ > 0 ? Phase::watching : Phase::resting;
}

int Trial::runner_up() const {
  int best = -1;
  for (const int c : candidates_)
    if (c != leader_ && !times(c).empty() && (best < 0 || median_ns(times(c)) < median_ns(times(best)))) best = c;
  return best;
}

bool Trial::withdraw(int candidate) {
  const auto found = std::find(candidates_.begin(), candidates_.end(), candidate);
  if (found == candidates_.end()) return false;
  candidates_.erase(found);
  if (candidate == shows_views_) shows_views_ = -1;
  if (candidates_.size() > 1) return true;
  period_ = 0;
  phase_ = Phase::resting;
  return true;
}

// ---------------------------------------------------------------- the winner's swaps

/// What the last look has found is concluded at the first swap of this one, when it has long been there.
Status Trial::finish_watched() {
  if (drift_.is_new() && drift_.is_asked()) {
    HLC_TRY(agreement_.await());
    now_.looked = true;
    if (drift_.conclude(agreement_.means())) {
      begin_trial();
      return Status::ok;
    }
  }
  drift_.add(swap_.counts, swap_.spent_ns);
  if (!drift_.is_over()) return Status::ok;
  drift_.asked();
  HLC_TRY(agreement_.await());
  agreement_.contribute(drift_.mine());
  return ask(Phase::settling);
}

}  // namespace halocline::core
