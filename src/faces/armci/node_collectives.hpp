// Broadcasts and global operations of the processes of a node, through their rings: binomial trees of messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/armci/job.hpp"

namespace halocline::core::armci {

/// Whether a call of so many bytes goes through rings: one of the world group whose members are those of a node. All members decide alike.
bool is_by_rings(const Job &job, int scope, const ARMCI_Group &group, std::int64_t bytes);

/// The call of all processes of the node.
struct NodeCall {
  Job &job;
  const char *call;
  int scope;
};

/// Numbers of this process, which become the result.
struct NodeNumbers {
  void *data;
  int count, size;
  MPI_Datatype type;
  MPI_Op op;
};

void broadcast_by_rings(const NodeCall &call, void *buffer, std::int64_t bytes, Member root);
/// Each result is formed once: the same bits everywhere. Otherwise only the first process of the node has it.
void reduce_by_rings(const NodeCall &call, const NodeNumbers &numbers, bool for_first_alone);

}  // namespace halocline::core::armci
