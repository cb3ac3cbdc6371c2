// What the components of a job share: the ranks, the known losses, each rank's control part, the segments, and what groups share. They use
// this class and not Job, which consists of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/sync/group.hpp"
#include "faces/common/face_job.hpp"
#include "faces/gaspi/parts.hpp"
#include "faces/gaspi/plan.hpp"

namespace halocline::core::gaspi {

class Session : public FaceJob {
 public:
  explicit Session(const gaspi_config_t &chosen)
      : FaceJob({"gaspi_proc_init", "gaspi_proc_term", CallName::gaspi_init, CallName::gaspi_term}),
        config(chosen),
        control(context.network()),
        parts(context.network(), control, Plan::segments(static_cast<int>(chosen.segment_max))),
        group_resources({"gaspi_group_commit", "gaspi_barrier", "gaspi_allreduce"}, context.network(), control, watch),
        plan_(chosen, 1) {}

  const Plan &plan() const { return plan_; }

  const gaspi_config_t config;
  ControlMemory control;
  Parts parts;
  GroupResources group_resources;

 protected:
  /// The context is open; the layout depends on the number of ranks. Collective, the same status on all ranks.
  Status open_parts() {
    plan_ = Plan(config, context.size());
    group_resources.layout = plan_.groups();
    return control.open(plan_.spec());
  }
  void abandon_face() override {
    parts.close();
    control.close();
  }

 private:
  Plan plan_;
};

}  // namespace halocline::core::gaspi
