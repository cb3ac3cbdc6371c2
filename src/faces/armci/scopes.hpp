// The processes of a scope, and their communicator.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "faces/armci/groups.hpp"

namespace halocline::core::armci {

/// The processes of a scope (armci_scope_e), in ascending order.
std::vector<int> procs_in(const Job &job, const char *call, int scope);

/// A communicator of the members of a group that are in a scope. Those of the world group exist; others are made for one call.
class ScopeComm {
 public:
  ScopeComm(Job &job, const char *call, int scope, const ARMCI_Group &group);
  /// That of some consecutive ranks of a group.
  ScopeComm(Job &job, const char *call, const ARMCI_Group &group, int first, int count);
  ScopeComm(const ScopeComm &) = delete;
  ScopeComm &operator=(const ScopeComm &) = delete;
  ~ScopeComm();

  bool is_member() const { return comm_ != MPI_COMM_NULL; }
  MPI_Comm get() const { return comm_; }
  /// The rank of a process; ends all processes if it is no member.
  int rank_of(const Job &job, const char *call, int proc) const;

 private:
  void make(Job &job, const char *call, const ARMCI_Group &group);

  std::vector<int> procs_;  // by rank
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool is_own_ = false;
};

}  // namespace halocline::core::armci
