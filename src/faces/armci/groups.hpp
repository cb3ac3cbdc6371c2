// The struct of a group.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/armci/job.hpp"

namespace halocline::core::armci {

/// Fills the struct for a communicator, which it owns then; MPI_COMM_NULL: this process is no member.
void fill_group(const Job &job, MPI_Comm comm, ARMCI_Group &group);
/// Frees the communicator and the tables.
void release_group(ARMCI_Group &group);
/// The communicator of some ranks of a group. Only these take part.
MPI_Comm make_comm(Job &job, const char *call, const ARMCI_Group &parent, const std::vector<int> &ranks);
/// A barrier of the members.
void group_barrier(Job &job, const char *call, const ARMCI_Group &group);
/// The process that is a rank of the group.
inline int proc_of(const ARMCI_Group &group, int rank) { return group.grp_to_abs[rank]; }
/// Ends all processes unless this one is a member.
void check_member(const Job &job, const char *call, const ARMCI_Group *group);

}  // namespace halocline::core::armci
