// Halo swaps of structured grids: what a program may ask of a halo. The swaps themselves are those of its stage, or of a stage per
// dimension.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "halo/stage.hpp"
#include "halo/staged.hpp"

namespace halocline::core {

/// One halo: the object behind hlc_halo.
class Halo {
 public:
  explicit Halo(const EngineParts &engine) : engine_(engine) {}

  /// The part of hlc_halo_init that is local: checks the spec. *plan receives what is compared between ranks: the names of the halo and of
  /// its fields. chosen: the library has chosen the spec's mode.
  Status accept(const hlc_halo_spec *spec, std::string *plan, bool chosen = false);
  /// Plans what has been checked. Collective; the same status on all ranks.
  Status create(const hlc_halo_spec *spec);
  Status may_start(const char *call) const { return refuse(call, kSwapOfHalo.at_start(state())); }
  Status may_go_on(const char *call) const { return refuse(call, kSwapOfHalo.at_finish(state())); }
  /// Each call is allowed now.
  Status start(const hlc_swap *what) {
    if (what) HLC_TRY(check_swap("hlc_halo_start", *what));
    return begin(what, nullptr);
  }
  Status test() { return staged_ ? staged_->test() : stage_->test(); }
  Status finish() { return staged_ ? staged_->finish() : stage_->finish(); }
  /// As finish, but in mode view without copies; see hlc_halo_finish_views.
  Status finish_views() { return staged_ ? staged_->finish() : stage_->finish_views(); }
  /// As start, but with other arrays than the spec's, one per field; NULL: the spec's. Is refused where it is not allowed. See
  /// hlc_halo_start_with.
  Status start_with(const hlc_swap *what, void *const *data);
  Status release();
  Status list_views(int field, hlc_view *views) const;
  /// As those of an exchange.
  bool retire() { return staged_ ? staged_->retire() : stage_->retire(); }
  Work work() const { return staged_ ? staged_->work() : stage_->work(); }
  Status end(bool others_broken) { return staged_ ? staged_->end(others_broken) : stage_->end(others_broken); }
  std::int64_t serial() const { return staged_ ? staged_->serial() : stage_->exchange().plan().serial; }

  RoundState state() const { return staged_ ? staged_->state() : stage_->exchange().state(); }
  hlc_plan_info describe() const { return staged_ ? staged_->describe() : stage_->describe(); }

 private:
  Status check_memory(const hlc_halo_spec &spec) const;
  Status begin(const hlc_swap *what, void *const *data) { return staged_ ? staged_->start(what, data) : stage_->start(what, data); }
  Status check_swap(const char *call, const hlc_swap &what) const;
  Status check_given(const hlc_swap *what, void *const *data) const;
  Status refuse(const char *call, const char *why) const { return why ? fail_refused(call, why) : Status::ok; }
  Status fail_refused(const char *call, const char *why) const;
  void list_own(std::size_t field, hlc_view *views) const;
  int rank() const { return engine_.communicator.rank(); }
  const std::vector<HaloField> &fields() const { return staged_ ? fields_ : stage_->fields(); }

  const EngineParts engine_;
  Options options_;
  int ndims_ = 0;
  bool rebinds_ = false;  // swaps may use other arrays
  std::int64_t deepest_ = 0;  // halo cells on a side
  bool repeats_ = false;  // the block, in a halo that is deeper
  // One of the two, once a spec has been accepted.
  std::unique_ptr<Stage> stage_;
  std::unique_ptr<Staged> staged_;
  std::vector<HaloField> fields_;  // of a staged halo
};

}  // namespace halocline::core
