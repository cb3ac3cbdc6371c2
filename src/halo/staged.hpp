// A staged swap: one dimension after the other, each with the halos of those before it, so that edges and corners travel with the faces. It
// has two messages per dimension in place of one per direction. Each stage has a larger block than the one before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "halo/stage.hpp"

namespace halocline::core {

class Staged final : public Halo {
 public:
  explicit Staged(const EngineParts &engine) : Halo(engine) {}
  /// True if there is something to stage: directions that cross several dimensions. The grid has dimensions.
  static bool pays(const hlc_halo_spec &spec);

  Status may_start(const char *call) const override;
  Status may_go_on(const char *call) const override;
  Status start(const hlc_swap *what) override;
  /// Continues through the stages whose data have arrived. Ok once those of the last one have, so that finish will not wait for data.
  /// Always `again` where the start of a stage may wait.
  Status test() override;
  Status finish() override;
  Status finish_views() override { return finish(); }
  bool retire() override;
  Work work() const override;
  Status end(bool others_broken) override;
  RoundState state() const override { return {in_flight_, broken()}; }
  hlc_plan_info describe() const override;
  DeviceFields device_fields() const override;

 private:
  /// One dimension. Its block is the spec's, with the halos of the dimensions before.
  struct Dimension {
    std::unique_ptr<Stage> stage;
    std::vector<std::int64_t> shift;  // per field: bytes from the spec's first cell to the stage's
    std::vector<void *> data;  // per field: the array of the running swap; NULL: as planned
  };
  Status plan_swaps(const hlc_halo_spec &spec, const Options &options) override;
  /// Begins the first stage; in reverse, the last one.
  Status begin(const hlc_swap *what, void *const *data) override;
  Status bad_call(const char *call, const char *why) const override;
  Status release_views() override { return Status::ok; }
  void follow(const DeviceStream &stream) override;
  void precede(const DeviceStream &stream) override;
  bool views_out() const override { return false; }
  void put_views(std::size_t field, hlc_view *views) const override;
  const std::vector<HaloField> &fields() const override { return fields_; }
  bool in_stages() const override { return true; }

  Status add_stage(const Options &options, const hlc_halo_spec &spec, int dim);
  Status start_stage();
  Status pass(Status finished);
  bool broken() const;
  Dimension &now() { return dims_[reverse_ ? dims_.size() - 1 - done_ : done_]; }

  std::vector<Dimension> dims_;
  std::vector<int> ranks_;  // per direction
  std::vector<HaloField> fields_;
  std::vector<int> swapped_;  // fields of the running swap, if it does not move all
  hlc_swap what_{};
  bool reverse_ = false, in_flight_ = false;
  bool failed_ = false;  // a stage could not be started after others had moved data
  std::size_t done_ = 0;  // stages of the running swap that are over
  Status found_ = Status::ok;  // the first rule that check mode has found broken in them
  std::string words_;
};

}  // namespace halocline::core
