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
  /// its fields.
  Status accept(const hlc_halo_spec *spec, std::string *plan);
  /// Plans what has been checked. Collective; the same status on all ranks.
  Status create(const hlc_halo_spec *spec);
  Status start(const hlc_swap *what) { return begin("hlc_halo_start", what, nullptr); }
  /// With other arrays than the spec's, one per field; NULL: the spec's. See hlc_halo_start_with.
  Status start_with(const hlc_swap *what, void *const *data);
  Status test();
  Status finish();
  /// As finish, but in mode view without copies; see hlc_halo_finish_views.
  Status finish_views();
  Status release();
  Status list_views(int field, hlc_view *views) const;
  Status end(bool others_broken) { return staged_ ? staged_->end(others_broken) : stage_->end(others_broken); }
  std::int64_t serial() const { return staged_ ? staged_->serial() : stage_->exchange().plan().serial; }

  bool in_flight() const { return state().under_way; }
  bool broken() const { return state().broken; }
  hlc_plan_info describe() const { return staged_ ? staged_->describe() : stage_->describe(); }

 private:
  Status check_memory(const hlc_halo_spec &spec) const;
  Status begin(const char *call, const hlc_swap *what, void *const *data);
  Status may_go_on(const char *call) const;
  Status check_swap(const char *call, const hlc_swap &what) const;
  Status check_given(const hlc_swap *what, void *const *data) const;
  Status refuse(const char *call, const char *why) const;
  void list_own(std::size_t field, hlc_view *views) const;
  int rank() const { return engine_.communicator.rank(); }
  RoundState state() const { return staged_ ? staged_->state() : stage_->exchange().state(); }
  const std::vector<HaloField> &fields() const { return staged_ ? fields_ : stage_->fields(); }

  const EngineParts engine_;
  Options options_;
  int ndims_ = 0;
  bool rebinds_ = false;  // swaps may use other arrays
  Extents extents_;
  // One of the two, once a spec has been accepted.
  std::unique_ptr<Stage> stage_;
  std::unique_ptr<Staged> staged_;
  std::vector<HaloField> fields_;  // of a staged halo
};

}  // namespace halocline::core
