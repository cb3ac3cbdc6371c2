// A plan whose mode the library chooses. It owns a plan for each candidate, passes each swap to one of them, and keeps the winner. Where a
// mode was asked for, that is the only candidate. Instances: the objects behind hlc_halo, hlc_index_halo, hlc_blocks and hlc_exchange.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/mpi_end.hpp"
#include "choice/candidates.hpp"
#include "choice/specs.hpp"

namespace halocline::core {

template <class Plan>
class Chosen {
 public:
  Chosen(const EngineParts &engine, LazyMachine &machine) : candidates_(engine, machine) {}

  template <class Spec>
  Status accept(const Spec *spec, std::string *plan) {
    return candidates_.accept(spec, plan);
  }
  template <class Spec>
  Status create(const Spec *spec) {
    HLC_TRY(candidates_.create(spec));
    now_ = candidates_.front();
    whole_ = whole_of(*spec);
    if constexpr (requires { now_->deepest(); }) whole_.depth = now_->deepest();  // a rank without blocks need not know it from its spec
    if (candidates_.trial()) swaps_until_recheck_ = 0;
    return Status::ok;
  }

  // `call` is the function of the API. It is refused at the wrong time.
  template <class... What>
  Status start(const char *call, const What *...what) {
    HLC_TRY(mpi_lasts(call));
    HLC_TRY(now_->may_start(call));
    if (swaps_until_recheck_ > 0) [[likely]]
      return now_->start(what...);
    return start_timed(signature_of(whole_, what...), [&] { return now_->start(what...); });
  }
  template <class What>
  Status start_with(const char *call, const What *what, void *const *data) {
    HLC_TRY(mpi_lasts(call));
    if (swaps_until_recheck_ > 0 || is_under_way()) return now_->start_with(what, data);
    return start_timed(signature_of(whole_, what), [&] { return now_->start_with(what, data); });
  }
  /// A swap that follows what a stream of a device has been given, and one that the stream's next work follows.
  template <class What>
  Status start_on(const char *call, const What *what, void *stream) {
    HLC_TRY(mpi_lasts(call));
    HLC_TRY(now_->may_start(call));
    const auto go = [&] { return now_->start_on(what, stream); };
    return swaps_until_recheck_ > 0 ? go() : start_timed(signature_of(whole_, what), go);
  }
  Status finish_on(const char *call, void *stream) {
    HLC_TRY(may_go_on(call));
    const auto go = [&] { return now_->finish_on(stream); };
    if (swaps_until_recheck_ <= 0) return finish_timed(false, go);
    swaps_until_recheck_ -= 1;
    return go();
  }
  Status test(const char *call) {
    HLC_TRY(may_go_on(call));
    if (swaps_until_recheck_ > 0) [[likely]]
      return now_->test();
    const std::int64_t begin_ns = now_ns();
    const Status status = now_->test();
    candidates_.trial()->spend(now_ns() - begin_ns);
    return status;
  }
  Status finish(const char *call) {
    HLC_TRY(may_go_on(call));
    if (swaps_until_recheck_ > 0) [[likely]] {
      swaps_until_recheck_ -= 1;
      return now_->finish();
    }
    return finish_timed(false, [this] { return now_->finish(); });
  }
  Status finish_views(const char *call) {
    HLC_TRY(may_go_on(call));
    if (swaps_until_recheck_ <= 0)
      return finish_timed(true, [this] { return candidates_.trial()->is_trying() ? now_->finish() : finish_by_views(); });
    swaps_until_recheck_ -= 1;
    return finish_by_views();
  }
  Status release(const char *call) {
    HLC_TRY(mpi_lasts(call));
    return now_->release();
  }
  /// Before the plan is ended: neighbours may wait in a finish until this rank reads their cells no more.
  Status announce_release() {
    if constexpr (requires(Plan &plan) { plan.announce_release(); }) return now_->announce_release();
    return Status::ok;
  }

  // Calls of one kind of plan. Swaps of several parts are not tried. The one of a single part counts as any swap.
  template <class What>
  Status start_part(const char *call, int part, const What *what) {
    HLC_TRY(mpi_lasts(call));
    const auto go = [&] { return now_->start_part(part, what); };
    if (swaps_until_recheck_ > 0 || !candidates_.trial() || is_under_way()) return go();
    return start_timed(signature_of(whole_, what), go);
  }
  Status finish_part(const char *call, int part) {
    HLC_TRY(mpi_lasts(call));
    const auto go = [this, part] { return now_->finish_part(part); };
    if (!candidates_.trial() || !is_under_way()) return go();
    if (swaps_until_recheck_ <= 0) return finish_timed(false, go);
    swaps_until_recheck_ -= 1;
    return go();
  }
  template <class View>
  Status list_views(int field, View *views) const {
    return now_->list_views(field, views);
  }
  template <class View>
  Status show_view(int field, int neighbour, View *view) {
    return now_->show_view(field, neighbour, view);
  }

  Status end(bool others_broken) { return candidates_.end(others_broken || broken_); }
  std::int64_t serial() const { return candidates_.serial(); }
  RoundState state() const {
    const RoundState state = now_->state();
    return {state.under_way, state.broken || broken_};
  }
  hlc_plan_info describe() const {
    hlc_plan_info info = now_->describe();
    info.mode = mode_now();
    candidates_.add_others(now_, info);
    return info;
  }
  Status explain(const char *call, hlc_format format, char *buffer, std::size_t size, std::size_t *length) const {
    if (format != HLC_FORMAT_TEXT && format != HLC_FORMAT_JSON)
      return fail(Status::argument, "%s: invalid hlc_format %d", call, static_cast<int>(format));
    const Explained plan = candidates_.explained(mode_now(), *now_);
    return give_text(call, format == HLC_FORMAT_JSON ? explain_in_json(plan) : explain_in_words(plan), buffer, size, length);
  }

 private:
  /// After MPI_Finalize nothing is swapped.
  static Status mpi_lasts(const char *call) {
    return mpi_has_ended() ? fail(Status::state, "%s: MPI has been finalised", call) : Status::ok;
  }
  Status may_go_on(const char *call) const {
    HLC_TRY(mpi_lasts(call));
    return now_->may_go_on(call);
  }

  template <class Go>
  [[gnu::noinline]] Status start_timed(SwapSignature signature, Go go) {
    if (broken_)
      return fail(Status::state, "an earlier swap of this plan failed: the ranks could not agree on a mode; it can only be released");
    now_ = candidates_.plan(candidates_.trial()->start(signature));
    const std::int64_t begin_ns = now_ns();
    const Status status = go();
    candidates_.trial()->spend(now_ns() - begin_ns);
    return status;
  }

  /// A swap is under way, or none can be started any more.
  bool is_under_way() const {
    const RoundState state = now_->state();
    return state.under_way || state.broken;
  }

  /// As long as candidates take turns views show what was copied: the next swap may be another plan's.
  template <class Go>
  [[gnu::noinline]] Status finish_timed(bool by_views, Go go) {
    Trial &trial = *candidates_.trial();
    const std::int64_t begin_ns = now_ns();
    if (const Status finished = go(); finished != Status::ok) return finished;
    trial.spend(now_ns() - begin_ns);
    const Status agreed = trial.finish(by_views);
    broken_ = failed(agreed);
    HLC_TRY(agreed);
    if (trial.reached_look()) candidates_.retire_last_leader();
    if (trial.reached_decision()) candidates_.retire_losers();
    if (now_ == candidates_.plan(trial.leader())) swaps_until_recheck_ = trial.rest();
    return Status::ok;
  }

  Status finish_by_views() {
    if constexpr (requires(Plan &plan) { plan.finish_views(); }) {
      by_views_ = candidates_.shows_views();
      if (by_views_) return now_->finish_views();
    }
    return now_->finish();
  }

  /// A candidate in mode view is as direct until it has been finished by views.
  hlc_mode mode_now() const {
    const hlc_mode mode = now_->describe().mode;
    return candidates_.is_auto() && mode == HLC_MODE_VIEW && !by_views_ ? HLC_MODE_DIRECT : mode;
  }

  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  Plan *now_ = nullptr;  // the plan of the running swap, or of the last one
  std::int64_t swaps_until_recheck_ = kForever;  // until then swaps are neither timed nor moved to another candidate
  Whole whole_;
  bool by_views_ = false;  // a swap was finished by views
  bool broken_ = false;    // an agreement has failed
  Candidates<Plan> candidates_;
};

}  // namespace halocline::core
