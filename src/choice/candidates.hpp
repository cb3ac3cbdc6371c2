// The candidates of a plan in mode auto: the modes that there are, their plans, and what is freed once one has won.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "choice/explain.hpp"
#include "choice/prospects.hpp"
#include "choice/specs.hpp"
#include "choice/trial.hpp"
#include "engine/communicator/consistency.hpp"
#include "exchange/modes/modes.hpp"

namespace halocline::core {

template <class Plan>
class Candidates {
 public:
  Candidates(const EngineParts &engine, LazyMachine &machine) : engine_(engine), machine_(machine) {}

  /// The local part: checks the spec, and finds what may be chosen.
  template <class Spec>
  Status accept(const Spec *spec, std::string *plan);
  /// Collective; the same status on all ranks.
  template <class Spec>
  Status create(const Spec *spec);
  Status end(bool others_broken);

  bool is_auto() const { return options_.mode == HLC_MODE_AUTO; }
  bool shows_views() const { return !is_auto() || prospects_.shows_views(); }
  /// NULL where there is nothing to try.
  Trial *trial() const { return trial_.get(); }
  Plan *front() const { return plan(0); }
  Plan *plan(int candidate) const { return all_[static_cast<std::size_t>(candidate)].plan.get(); }
  std::int64_t serial() const { return serial_; }

  /// Frees what the losers hold, but for one that may be tried again.
  void retire_losers();
  /// Adds what the candidates but one take.
  void add_others(const Plan *but, hlc_plan_info &info) const;
  Explained explained(hlc_mode now) const;

 private:
  /// Buffers of a loser that are kept for another trial, at most; per rank.
  static constexpr std::int64_t kMostKept = std::int64_t{16} << 20;

  struct Candidate {
    hlc_mode mode = HLC_MODE_DEFAULT;
    std::unique_ptr<Plan> plan;
    bool is_large = false;  // on a rank
  };

  template <class Spec>
  Status create_all(const Spec &spec);
  template <class Spec>
  Status add(hlc_mode mode, const Spec &spec);
  template <class Spec>
  int most(const Spec &spec);
  Status find_same();
  Status keep_only(const std::vector<hlc_mode> &order);
  Status prepare_trial();
  Status fail_without_mode() const;
  Communicator &communicator() const { return engine_.communicator; }

  const EngineParts engine_;
  LazyMachine &machine_;
  Options options_;
  Prospects prospects_;
  std::vector<Candidate> all_;  // the most promising first
  std::unique_ptr<Trial> trial_;
  std::string untried_;
  std::int64_t serial_ = 0, period_ = 1000;
};

template <class Plan>
template <class Spec>
Status Candidates<Plan>::accept(const Spec *spec, std::string *plan) {
  all_.push_back({HLC_MODE_DEFAULT, std::make_unique<Plan>(engine_), false});
  if (spec) options_ = {spec->mode, spec->epoch, spec->drive};
  if (!spec || failed(resolve(options_, communicator())) || !is_auto()) return all_.front().plan->accept(spec, plan);
  // Checks the spec; which modes are candidates is found when all ranks are here.
  Spec first = *spec;
  first.mode = plan_mode(*spec, HLC_MODE_DIRECT);
  HLC_TRY(all_.front().plan->accept(&first, plan, true));
  all_.clear();
  const std::string who = speaker(communicator(), options_);
  long period = period_;
  HLC_TRY(environment_number("AUTO_PERIOD", communicator().rank(), period));
  period_ = period;
  return prospects_.judge(who, machine_.get(), communicator(), plan_mode(*spec, HLC_MODE_DIRECT) != HLC_MODE_NOTIFY);
}

/// Ranks that ask for different modes would make different calls from here on.
template <class Plan>
template <class Spec>
Status Candidates<Plan>::create(const Spec *spec) {
  serial_ = communicator().next_plan() - 1;
  std::int64_t asked[] = {options_.mode, -options_.mode};
  HLC_TRY(reduce(communicator(), communicator().comm(), MPI_MAX, asked, 2));
  if (asked[0] != -asked[1]) return check_rules(communicator(), name_of(communicator().call().name), [&] { return rules_of(options_); });
  return is_auto() ? create_all(*spec) : all_.front().plan->create(spec);
}

/// The first plan says what a swap moves, and the card what that costs in each mode.
template <class Plan>
template <class Spec>
Status Candidates<Plan>::create_all(const Spec &spec) {
  HLC_TRY(prospects_.agree(communicator()));
  const hlc_mode first = prospects_.first();
  if (first == HLC_MODE_DEFAULT) return fail_without_mode();
  HLC_TRY(add(first, spec));
  HLC_TRY(find_same());
  HLC_TRY(prepare(communicator(), communicator().comm(), [&] {
    prospects_.predict(machine_.get().card, communicator(), front()->work());
    return Status::ok;
  }));
  HLC_TRY(prospects_.agree(communicator()));
  std::vector<hlc_mode> order;
  if (communicator().size() == 1)
    order = {first};
  else
    order = prospects_.choose(most(spec));
  for (const hlc_mode mode : order) {
    if (mode == first) continue;
    communicator().count_plan();
    const Status added = add(mode, spec);
    if (!failed(added)) continue;
    if (communicator().lost()) return added;
    prospects_.leave_out(mode, Standing::failed, error_message());
  }
  HLC_TRY(keep_only(order));
  return prepare_trial();
}

template <class Plan>
template <class Spec>
Status Candidates<Plan>::add(hlc_mode mode, const Spec &spec) {
  Spec mine = spec;
  mine.mode = plan_mode(spec, mode);
  auto plan = std::make_unique<Plan>(engine_);
  HLC_TRY(prepare(communicator(), communicator().comm(), [&] {
    std::string ignored;
    return plan->accept(&mine, &ignored, true);
  }));
  HLC_TRY(plan->create(&mine));
  all_.push_back({mode, std::move(plan), false});
  return Status::ok;
}

/// How many candidates there may be. Times in check mode say nothing about those without.
template <class Plan>
template <class Spec>
int Candidates<Plan>::most(const Spec &spec) {
  if constexpr (requires { spec.parts; }) {
    if (spec.parts > 1) untried_ = "blocks that several threads swap are not tried, the prediction decides";
  }
  if (engine_.check_mailbox) untried_ = "with HALOCLINE_CHECK=1 nothing is tried, the prediction decides";
  return untried_.empty() ? Trial::kMost : 1;
}

/// Modes that would take the same routes as the first plan.
template <class Plan>
Status Candidates<Plan>::find_same() {
  if (all_.front().mode != HLC_MODE_DIRECT) return Status::ok;
  const hlc_plan_info info = front()->describe();
  std::int64_t used[] = {info.via_direct, info.via_network};
  HLC_TRY(reduce(communicator(), communicator().comm(), MPI_MAX, used, 2));
  if (used[0] == 0) prospects_.leave_out(HLC_MODE_NOTIFY, Standing::same, "direct, since no neighbour's fields can be read");
  if (used[1] == 0) prospects_.leave_out(HLC_MODE_NOTIFY_NODE, Standing::same, "direct, since no neighbour is reached by the network");
  return Status::ok;
}

/// Puts the plans into this order, and ends one that is not in it.
template <class Plan>
Status Candidates<Plan>::keep_only(const std::vector<hlc_mode> &order) {
  std::vector<Candidate> kept;
  for (const hlc_mode mode : order)
    for (Candidate &one : all_)
      if (one.plan && one.mode == mode) {
        prospects_.make_candidate(mode, static_cast<int>(kept.size()));
        kept.push_back(std::move(one));
      }
  Status ended = Status::ok;
  for (Candidate &one : all_)
    if (one.plan) ended = one.plan->end(false);
  all_ = std::move(kept);
  return all_.empty() ? fail_without_mode() : ended;
}

template <class Plan>
Status Candidates<Plan>::prepare_trial() {
  if (all_.size() < 2) {
    if (communicator().size() == 1) untried_ = "with one rank there is nothing to choose";
    if (untried_.empty()) untried_ = "no other mode may be tried here, or is promising";
    return Status::ok;
  }
  std::int64_t bytes[Trial::kMost]{};
  for (std::size_t c = 0; c < all_.size(); ++c) bytes[c] = all_[c].plan->describe().memory_bytes;
  HLC_TRY(reduce(communicator(), communicator().comm(), MPI_MAX, bytes, Trial::kMost));
  for (std::size_t c = 0; c < all_.size(); ++c) all_[c].is_large = bytes[c] > kMostKept;
  HLC_TRY(prepare(communicator(), communicator().comm(), [&] {
    trial_ = std::make_unique<Trial>(communicator(), serial_, static_cast<int>(all_.size()), period_);
    return Status::ok;
  }));
  for (std::size_t c = 0; c < all_.size(); ++c)
    if (all_[c].plan->describe().mode == HLC_MODE_VIEW && prospects_.shows_views()) trial_->set_views(static_cast<int>(c));
  return trial_->create();
}

template <class Plan>
Status Candidates<Plan>::fail_without_mode() const {
  return fail(
      Status::unsupported,
      "%s: mode auto has no mode left: HALOCLINE_AUTO_MODES lists none that can be used here, or halocline-doctor (%s) found them wrong",
      speaker(communicator(), options_).c_str(), prospects_.doctor_source().c_str());
}

/// The leader of the last swaps may still be in use on other ranks.
template <class Plan>
void Candidates<Plan>::retire_losers() {
  const int second = trial_->period() > 0 ? trial_->runner_up() : -1;
  for (int c = 0; c < static_cast<int>(all_.size()); ++c) {
    if (c == trial_->leader() || (c == second && !all_[static_cast<std::size_t>(c)].is_large)) continue;
    trial_->withdraw(c);
    if (c != trial_->last_leader()) static_cast<void>(plan(c)->retire());
  }
}

template <class Plan>
void Candidates<Plan>::add_others(const Plan *but, hlc_plan_info &info) const {
  for (const Candidate &one : all_) {
    if (one.plan.get() == but) continue;
    const hlc_plan_info other = one.plan->describe();
    info.memory_bytes += other.memory_bytes;
    info.network_writes += other.network_writes;
  }
}

template <class Plan>
Explained Candidates<Plan>::explained(hlc_mode now) const {
  return {options_.mode, now, is_auto() ? &prospects_ : nullptr, trial_.get(), untried_};
}

template <class Plan>
Status Candidates<Plan>::end(bool others_broken) {
  const bool broken = others_broken || std::any_of(all_.begin(), all_.end(), [](const Candidate &one) { return one.plan->state().broken; });
  if (trial_) trial_->end(broken);
  Status first = Status::ok;
  for (Candidate &one : all_) {
    const Status ended = one.plan->end(broken);
    if (!failed(first)) first = ended;
  }
  return first;
}

}  // namespace halocline::core
