// What the components of a job share: the ranks, the known losses, each rank's control part, the segments, and what groups share. They use
// this class and not Job, which consists of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/context/context.hpp"
#include "engine/network/watch.hpp"
#include "engine/sync/group.hpp"
#include "faces/gaspi/parts.hpp"

namespace halocline::core::gaspi {

class Session {
 public:
  explicit Session(const gaspi_config_t &chosen)
      : config(chosen),
        control(context.network()),
        parts(context, control),
        watch(context.network()),
        group_resources({"gaspi_group_commit", "gaspi_barrier", "gaspi_allreduce"}, context.network(), control, watch),
        plan_(chosen, 1) {}
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  int rank() const { return context.rank(); }
  int size() const { return context.size(); }
  const Plan &plan() const { return plan_; }

  Context context;
  const gaspi_config_t config;
  ControlMemory control;
  Parts parts;
  Watch watch;
  GroupResources group_resources;

 protected:
  ~Session() = default;
  /// The context is open; the layout depends on the number of ranks. Collective, the same status on all ranks.
  Status open_parts() {
    plan_ = Plan(config, context.size());
    group_resources.layout = plan_.groups();
    return control.open(plan_.spec());
  }

 private:
  Plan plan_;
};

}  // namespace halocline::core::gaspi
