// A staged swap: one dimension after the other, each with the halos of those before it, so that edges and corners travel with the faces. It
// has two messages per dimension in place of one per direction. Each stage has a larger block than the one before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "halo/stage.hpp"

namespace halocline::core {

class Staged {
 public:
  /// True if there is something to stage: directions that cross several dimensions.
  static bool pays(const hlc_halo_spec &spec);
  /// Plans the stages. Collective; the same status on all ranks. The spec has been checked, also that it is the same on all ranks.
  Status create(const EngineParts &engine, const Options &options, const hlc_halo_spec &spec);
  /// Begins the first stage; in reverse, the last one. data: the arrays of this swap, NULL: the spec's.
  Status start(const hlc_swap *what, void *const *data);
  /// Continues through the stages whose data have arrived. Ok once those of the last one have, so that finish will not wait for data.
  /// Always `again` where the start of a stage may wait.
  Status test();
  Status finish();
  Status end(bool others_broken);
  bool retire();

  RoundState state() const { return {in_flight_, broken()}; }
  std::int64_t serial() const { return dims_.front().stage->exchange().plan().serial; }
  hlc_plan_info describe() const;
  Work work() const;
  /// The rank that fills the halo in a direction.
  int rank_of(int number) const { return ranks_[static_cast<std::size_t>(number)]; }

 private:
  /// One dimension. Its block is the spec's, with the halos of the dimensions before.
  struct Dimension {
    std::unique_ptr<Stage> stage;
    std::vector<std::int64_t> shift;  // per field: bytes from the spec's first cell to the stage's
    std::vector<void *> data;  // per field: the array of the running swap; NULL: as planned
  };
  Status add_stage(const EngineParts &engine, const Options &options, const hlc_halo_spec &spec, int dim);
  Status start_stage();
  Status pass(Status finished);
  bool broken() const;
  Dimension &now() { return dims_[reverse_ ? dims_.size() - 1 - done_ : done_]; }

  std::vector<Dimension> dims_;
  std::vector<int> ranks_;  // per direction
  std::vector<int> fields_;  // of the running swap, if it does not move all
  hlc_swap what_{};
  bool reverse_ = false, in_flight_ = false;
  bool failed_ = false;  // a stage could not be started after others had moved data
  std::size_t done_ = 0;  // stages of the running swap that are over
  Status found_ = Status::ok;  // the first rule that check mode has found broken in them
  std::string words_;
};

}  // namespace halocline::core
