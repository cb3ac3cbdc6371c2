// The layout of a process's control memory, the same on all processes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/rma/local_memory.hpp"
#include "engine/sync/group_layout.hpp"

namespace halocline::core::armci {

/// The data of a control part, and their writers:
///
///     accumulates   128 B  the lock that accumulates to this process's memory take     any process of the node
///     notified             counts of armci_notify, by process                          that process
///     group                records and slots, as GroupLayout says                      this process; one of the group each
class ControlPlan {
 public:
  ControlPlan() = default;
  explicit ControlPlan(int procs) : group_(round_up(notified(procs), kLinePair), 1, procs) {}

  static std::int64_t accumulates() { return 0; }
  static std::int64_t notified(int proc) { return static_cast<std::int64_t>(kLinePair) + proc * std::int64_t{sizeof(std::uint64_t)}; }
  const GroupLayout &group() const { return group_; }
  MemorySpec spec() const {
    MemorySpec spec;
    spec.bytes = group_.end();
    spec.monotonic = group_.words();
    return spec;
  }

 private:
  GroupLayout group_;
};

}  // namespace halocline::core::armci
