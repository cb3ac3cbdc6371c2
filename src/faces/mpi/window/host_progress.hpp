// What is done while the program waits inside a call of the host MPI, if that lets others take part in its progress. The network is polled.
// Ranks that share cores let each other run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/network/network.hpp"

namespace halocline::core::mpi {

/// While it exists, requests of other nodes are served whenever this rank waits in the host. MPICH 5 and Open MPI allow that. Under other hosts
/// the thread of HALOCLINE_PROGRESS serves them, as it does while the program computes.
class DrivenByHost {
 public:
  explicit DrivenByHost(Network &network);
  DrivenByHost(const DrivenByHost &) = delete;
  DrivenByHost &operator=(const DrivenByHost &) = delete;
  ~DrivenByHost();

 private:
  Network &network_;
};

/// Answers ranks of other nodes in windows of all communicators, unless that was done just now.
void answer_other_nodes();

/// From now on this rank lets others run while it waits in the host: it has no core of its own.
void yield_while_host_waits();

/// From now on the function is called while this rank waits in the host. It calls no MPI, and returns how much it has done.
void drive_while_host_waits(int (*work)());

/// Before MPI_Finalize of the host.
void leave_progress_of_host();

/// Has Open MPI call a function whenever it progresses; that returns how much it has done. False under other hosts.
bool join_progress_of_openmpi(int (*work)());

}  // namespace halocline::core::mpi
