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

/// The first number of what a process contributes to a selection.
struct Candidate {
  int rank = -1;  // in the scope; -1: contributes nothing
  long long integer = 0;
  double real = 0;
};

/// Whether a candidate is selected before one of a lower rank: of equal ones the first is.
inline bool is_better(const Candidate &a, const Candidate &b, bool greatest) {
  if (a.rank < 0 || b.rank < 0) return a.rank >= 0 && b.rank < 0;
  const Candidate &less = greatest ? b : a, &more = greatest ? a : b;
  return less.integer != more.integer ? less.integer < more.integer : less.real < more.real;
}

void broadcast_by_rings(const NodeCall &call, void *buffer, std::int64_t bytes, Member root);
/// Each result is formed once: the same bits everywhere. Otherwise only the first process of the node has it.
void reduce_by_rings(const NodeCall &call, const NodeNumbers &numbers, bool for_first_alone);
/// The candidate that is selected, the same on all; its rank is -1 if none contributes.
Candidate select_by_rings(const NodeCall &call, Candidate mine, bool greatest);

}  // namespace halocline::core::armci
