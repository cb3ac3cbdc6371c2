// The candidates of a plan in mode auto: the modes that there are, their plans, and what is freed once one has won.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "choice/connected.hpp"
#include "choice/explain.hpp"
#include "choice/lent_comm.hpp"
#include "choice/predictions.hpp"
#include "choice/specs.hpp"
#include "choice/trial.hpp"
#include "exchange/modes/modes.hpp"
#include "exchange/summary.hpp"
#include "model/lazy_machine.hpp"

namespace halocline::core {

/// A plan that may accept this spec. A kind of plan that has several forms chooses one.
template <class Plan, class Spec>
std::unique_ptr<Plan> make_plan(const EngineParts &engine, const Spec *spec) {
  if constexpr (std::is_abstract_v<Plan>)
    return Plan::make(engine, spec);
  else
    return std::make_unique<Plan>(engine);
}

template <class Plan>
class Candidates {
 public:
  Candidates(const EngineParts &engine, LazyMachine &machine) : engine_(engine), machine_(machine), lent_(engine.communicator) {
    engine_.times = &times_;
  }

  /// The local part: checks the spec, and finds what may be chosen.
  template <class Spec>
  Status accept(const Spec *spec, std::string *plan);
  /// Collective; the same status on all ranks.
  template <class Spec>
  Status create(const Spec *spec);
  Status end(bool others_broken);

  bool is_auto() const { return options_.mode == HLC_MODE_AUTO; }
  bool shows_views() const { return !is_auto() || predictions_.shows_views(); }
  /// NULL where there is nothing to try.
  Trial *trial() const { return trial_.get(); }
  Plan *front() const { return plan(0); }
  Plan *plan(int candidate) const { return all_[static_cast<std::size_t>(candidate)].plan.get(); }
  std::int64_t serial() const { return times_.plan().serial; }

  /// Frees what the losers hold, but for one that may be tried again. The leader of the last swaps follows later: other ranks may use it.
  void retire_losers();
  /// All ranks have swapped without it since: frees what that leader holds, if it has lost.
  void retire_last_leader();
  /// Adds what the candidates but one take.
  void add_others(const Plan *but, hlc_plan_info &info) const;
  Explained explained(hlc_mode now, const Plan &used) const;

 private:
  /// Buffers of a loser that are kept for another trial, at most; per rank. 29 fields of 16 x 16 x 256 cells with depth 2 need 17 MB.
  static constexpr std::int64_t kMaxKept = std::int64_t{32} << 20;

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
  Status add_unless_it_fails(hlc_mode mode, const Spec &spec);
  std::vector<hlc_mode> choose();
  Status lend_comm();
  Status predict();
  Status find_groups();
  Status keep_only(const std::vector<hlc_mode> &order);
  Status prepare_trial();
  Status fail_without_mode() const;
  bool any_broken() const;
  Status end_comm(bool broken);
  /// What a rank does alone and may lack memory for; then all have the same status.
  template <class Part>
  Status together(Part part) const {
    return prepare(communicator(), communicator().comm(), part);
  }
  Communicator &communicator() const { return engine_.communicator; }

  EngineParts engine_;
  LazyMachine &machine_;
  LentComm lent_;
  SwapTimes times_;
  Options options_;
  Predictions predictions_;
  std::vector<Candidate> all_;  // the most promising first
  std::unique_ptr<Trial> trial_;
  const char *untried_ = "";  // why nothing is tried
  std::int64_t period_ = 0;
  int lost_leader_ = -1;  // withdrawn, but not retired yet
};

template <class Plan>
template <class Spec>
Status Candidates<Plan>::accept(const Spec *spec, std::string *plan) {
  all_.reserve(MeasurementRound::kMax + 1);
  all_.push_back({HLC_MODE_DEFAULT, make_plan<Plan>(engine_, spec), false});
  if (spec) options_ = {spec->mode, spec->epoch, spec->drive};
  if constexpr (requires { spec->name; })
    if (spec && spec->name) options_.name = spec->name;
  times_.set_name(options_.name);
  if (!spec || failed(resolve(options_, communicator())) || !is_auto()) return all_.front().plan->accept(spec, plan);
  // Checks the spec; which modes are candidates is found when all ranks are here.
  Spec first = *spec;
  first.mode = plan_mode(*spec, HLC_MODE_DIRECT);
  HLC_TRY(all_.front().plan->accept(&first, plan, true));
  all_.clear();
  const std::string who = message_prefix(communicator(), options_);
  HLC_TRY(read_period(who, &period_));
  const bool late_stages = in_stages(*spec) && options_.epoch == HLC_EPOCH_LATE;
  return predictions_.classify(who, machine_.get(), communicator(), {plan_mode(*spec, HLC_MODE_DIRECT) != HLC_MODE_NOTIFY, late_stages});
}

/// Ranks that ask for different modes would make different calls from here on. So would ranks that try other things, or look at other swaps:
/// the environment and the number of threads may differ between ranks.
template <class Plan>
template <class Spec>
Status Candidates<Plan>::create(const Spec *spec) {
  times_.set_serial(communicator().next_plan() - 1);
  std::int64_t asked[] = {options_.mode, -options_.mode, period_, period_ == 0, threads_of(*spec), !predictions_.shows_views()};
  HLC_TRY(reduce(communicator(), communicator().comm(), MPI_MAX, asked, 6));
  period_ = asked[3] ? 0 : asked[2];
  if (asked[4] > 1) untried_ = "swaps of blocks by several threads are not tried; the prediction decides";
  if (asked[5]) predictions_.show_no_views();
  if (asked[0] != -asked[1]) return agree_on_options(communicator(), options_);
  return is_auto() ? create_all(*spec) : all_.front().plan->create(spec);
}

/// The first plan says what a swap moves, and the card what that costs in each mode.
template <class Plan>
template <class Spec>
Status Candidates<Plan>::create_all(const Spec &spec) {
  HLC_TRY(predictions_.agree(communicator()));
  const hlc_mode first = predictions_.first();
  if (first == HLC_MODE_DEFAULT) return fail_without_mode();
  HLC_TRY(lend_comm());
  HLC_TRY(add(first, spec));
  HLC_TRY(predict());
  std::vector<hlc_mode> order;
  HLC_TRY(together([&] {
    order = choose();
    return Status::ok;
  }));
  for (const hlc_mode mode : order)
    if (mode != first) HLC_TRY(add_unless_it_fails(mode, spec));
  HLC_TRY(keep_only(order));
  return prepare_trial();
}

/// Check mode has one candidate, which sends messages of its own in the course of a swap.
template <class Plan>
Status Candidates<Plan>::lend_comm() {
  if (engine_.check_mailbox) return Status::ok;
  HLC_TRY(lent_.create());
  engine_.lent_comm = lent_.comm();
  return Status::ok;
}

template <class Plan>
template <class Spec>
Status Candidates<Plan>::add(hlc_mode mode, const Spec &spec) {
  Spec mine = spec;
  mine.mode = plan_mode(spec, mode);
  std::unique_ptr<Plan> plan;
  HLC_TRY(together([&] {
    std::string ignored;
    plan = make_plan<Plan>(engine_, &mine);
    return plan->accept(&mine, &ignored, true);
  }));
  HLC_TRY(plan->create(&mine));
  all_.push_back({mode, std::move(plan), false});  // accept has made room
  return Status::ok;
}

/// A plan for which there is no memory, or no communicator, is left out.
template <class Plan>
template <class Spec>
Status Candidates<Plan>::add_unless_it_fails(hlc_mode mode, const Spec &spec) {
  const Status added = add(mode, spec);
  if (!failed(added) || communicator().lost()) return added;
  return together([&] {
    predictions_.leave_out(mode, Eligibility::failed, error_message());
    return Status::ok;
  });
}

/// The modes to try. Times in check mode say nothing about those without.
template <class Plan>
std::vector<hlc_mode> Candidates<Plan>::choose() {
  if (communicator().size() == 1) return {all_.front().mode};
  if (engine_.check_mailbox) untried_ = "with HALOCLINE_CHECK=1 nothing is tried; the prediction decides";
  return predictions_.choose(*untried_ ? 1 : MeasurementRound::kMax);
}

/// A trial would make groups of ranks wait for each other that otherwise do not.
template <class Plan>
Status Candidates<Plan>::find_groups() {
  bool connected = false;
  std::vector<int> others;
  HLC_TRY(together([&] {
    others = front()->work().others;
    return Status::ok;
  }));
  HLC_TRY(find_connected(communicator(), others, &connected));
  if (!connected) untried_ = "groups of ranks have no common neighbours, and should not wait for each other: the prediction decides";
  return Status::ok;
}

/// Leaves out modes that would take the same routes as the first plan, and says what the others would take. In a trial ranks wait for each
/// other. A program may let groups of ranks without common neighbours be any number of swaps apart: then there is no trial.
template <class Plan>
Status Candidates<Plan>::predict() {
  const hlc_plan_info info = front()->describe();
  std::int64_t used[] = {info.via_direct, info.via_network};
  HLC_TRY(reduce(communicator(), communicator().comm(), MPI_MAX, used, 2));
  if (!*untried_) HLC_TRY(find_groups());
  HLC_TRY(together([&] {
    const bool is_direct = all_.front().mode == HLC_MODE_DIRECT;
    if (is_direct && used[0] == 0)
      predictions_.leave_out(HLC_MODE_NOTIFY, Eligibility::same, "direct, since no neighbour's fields can be read");
    if (is_direct && used[1] == 0)
      predictions_.leave_out(HLC_MODE_NOTIFY_NODE, Eligibility::same, "direct, since no neighbour is reached by the network");
    predictions_.predict(machine_.get(), communicator(), front()->work());
    return Status::ok;
  }));
  return predictions_.agree(communicator());
}

/// Puts the plans into this order, and ends one that is not in it, unless it is the only one. Allocates nothing.
template <class Plan>
Status Candidates<Plan>::keep_only(const std::vector<hlc_mode> &order) {
  std::size_t kept = 0;
  for (const hlc_mode mode : order)
    for (std::size_t c = kept; c < all_.size(); ++c) {
      if (all_[c].mode != mode) continue;
      std::swap(all_[kept++], all_[c]);
      break;
    }
  kept = std::max<std::size_t>(kept, 1);
  for (std::size_t c = 0; c < kept; ++c) predictions_.make_candidate(all_[c].mode, static_cast<int>(c));
  Status ended = Status::ok;
  for (; all_.size() > kept; all_.pop_back()) ended = all_.back().plan->end(false);
  return ended;
}

template <class Plan>
Status Candidates<Plan>::prepare_trial() {
  if (all_.size() < 2) {
    if (communicator().size() == 1) untried_ = "with one rank there is nothing to choose";
    if (!*untried_) untried_ = "no other mode may be tried here, or is promising";
    return Status::ok;
  }
  std::int64_t bytes[MeasurementRound::kMax]{};
  for (std::size_t c = 0; c < all_.size(); ++c) bytes[c] = all_[c].plan->describe().memory_bytes;
  HLC_TRY(reduce(communicator(), communicator().comm(), MPI_MAX, bytes, MeasurementRound::kMax));
  for (std::size_t c = 0; c < all_.size(); ++c) all_[c].is_large = bytes[c] > kMaxKept;
  HLC_TRY(together([&] {
    trial_ = std::make_unique<Trial>(communicator(), times_.plan(), static_cast<int>(all_.size()), period_);
    return Status::ok;
  }));
  for (std::size_t c = 0; c < all_.size(); ++c)
    if (all_[c].plan->describe().mode == HLC_MODE_VIEW && predictions_.shows_views()) trial_->set_views(static_cast<int>(c));
  return trial_->create();
}

template <class Plan>
Status Candidates<Plan>::fail_without_mode() const {
  return together([&] {
    return fail(
        Status::unsupported,
        "%s: no usable mode for auto: HALOCLINE_AUTO_MODES lists no mode that is usable here, or halocline-doctor (%s) found them wrong",
        message_prefix(communicator(), options_).c_str(), predictions_.doctor_source().c_str());
  });
}

template <class Plan>
void Candidates<Plan>::retire_last_leader() {
  if (const int lost = std::exchange(lost_leader_, -1); lost >= 0) static_cast<void>(plan(lost)->retire());
}

template <class Plan>
void Candidates<Plan>::retire_losers() {
  retire_last_leader();
  const int second = trial_->period() > 0 ? trial_->runner_up() : -1;
  for (int c = 0; c < static_cast<int>(all_.size()); ++c) {
    if (c == trial_->leader() || (c == second && !all_[static_cast<std::size_t>(c)].is_large)) continue;
    if (!trial_->withdraw(c)) continue;
    if (c == trial_->last_leader())
      lost_leader_ = c;
    else
      static_cast<void>(plan(c)->retire());
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
Explained Candidates<Plan>::explained(hlc_mode now, const Plan &used) const {
  Explained all{options_.mode, now, is_auto() ? &predictions_ : nullptr, trial_.get(), untried_, {}};
  if constexpr (requires { used.device_fields(); }) {
    const auto fields = used.device_fields();
    all.on_device = fields.names;
    all.device = fields.device;
    all.device_name = fields.place;
    all.pinned_bytes = fields.pinned_bytes;
    all.read = fields.read;
    all.staged = fields.staged;
    all.why_staged = fields.why;
  }
  return all;
}

template <class Plan>
bool Candidates<Plan>::any_broken() const {
  return std::any_of(all_.begin(), all_.end(), [](const Candidate &one) { return one.plan->state().broken; });
}

/// A plan may have been found broken only at its end, and on one rank.
template <class Plan>
Status Candidates<Plan>::end_comm(bool broken) {
  int left = broken || any_broken() ? 1 : 0;
  const Status voted = agree_on_largest(communicator(), communicator().comm(), left, &left);
  if (failed(voted) || left) lent_.abandon();
  return voted;
}

template <class Plan>
Status Candidates<Plan>::end(bool others_broken) {
  const bool broken = others_broken || any_broken();
  if (trial_) trial_->end(broken);
  Status first = Status::ok;
  for (Candidate &one : all_) {
    const Status ended = one.plan->end(broken);
    if (!failed(first)) first = ended;
  }
  if (trace::summarises() && !failed(first) && !any_broken()) static_cast<void>(summarise(communicator(), times_));
  const Status freed = lent_.comm() == MPI_COMM_NULL ? Status::ok : end_comm(broken || failed(first));
  return failed(first) ? first : freed;
}

}  // namespace halocline::core
