// Scopes of messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/armci/scopes.hpp"

#include <message.h>

#include <algorithm>

namespace halocline::core::armci {
namespace {

void check_scope(const Job &job, const char *call, int scope) {
  if (scope != SCOPE_ALL && scope != SCOPE_NODE && scope != SCOPE_MASTERS)
    end_all_with("%s on rank %d: scope is %d but must be SCOPE_ALL, SCOPE_NODE or SCOPE_MASTERS", call, job.rank(), scope);
}

/// Members of a group that are on this node, or are the first of their node.
std::vector<int> members_in(const Job &job, int scope, const ARMCI_Group &group) {
  std::vector<int> procs;
  std::vector<bool> has_first(static_cast<std::size_t>(job.context.nodes()));
  for (int rank = 0; rank < group.size; ++rank) {
    const int proc = proc_of(group, rank), node = job.node_of(proc);
    const bool is_first = !has_first[static_cast<std::size_t>(node)];
    has_first[static_cast<std::size_t>(node)] = true;
    if (scope == SCOPE_ALL || (scope == SCOPE_NODE && node == job.context.node()) || (scope == SCOPE_MASTERS && is_first))
      procs.push_back(proc);
  }
  return procs;
}

}  // namespace

std::vector<int> procs_in(const Job &job, const char *call, int scope) {
  check_scope(job, call, scope);
  return members_in(job, scope, job.world);
}

ScopeComm::ScopeComm(Job &job, const char *call, int scope, const ARMCI_Group &group) {
  check_scope(job, call, scope);
  procs_ = members_in(job, scope, group);
  if (scope == SCOPE_ALL)
    comm_ = group.comm;
  else if (group.comm == job.world.comm)
    comm_ = scope == SCOPE_NODE ? job.node_comm : job.masters_comm;
  else
    make(job, call, group);
}

ScopeComm::ScopeComm(Job &job, const char *call, const ARMCI_Group &group, int first, int count) {
  if (first < 0 || count < 1 || first + count > group.size)
    end_all_with("%s on rank %d: ranks %d to %d are not all in the group, which has %d", call, job.rank(), first, first + count - 1,
                 group.size);
  for (int rank = first; rank < first + count; ++rank) procs_.push_back(proc_of(group, rank));
  make(job, call, group);
}

ScopeComm::~ScopeComm() {
  if (is_own_) MPI_Comm_free(&comm_);
}

void ScopeComm::make(Job &job, const char *call, const ARMCI_Group &group) {
  if (std::find(procs_.begin(), procs_.end(), job.rank()) == procs_.end()) return;
  std::vector<int> ranks;
  ranks.reserve(procs_.size());
  for (const int proc : procs_) ranks.push_back(group.abs_to_grp[proc]);
  comm_ = make_comm(job, call, group, ranks);
  is_own_ = true;
}

int ScopeComm::rank_of(const Job &job, const char *call, int proc) const {
  const auto found = std::find(procs_.begin(), procs_.end(), proc);
  if (found == procs_.end()) end_all_with("%s on rank %d: the root %d is not in the group and the scope", call, job.rank(), proc);
  return static_cast<int>(found - procs_.begin());
}

}  // namespace halocline::core::armci
