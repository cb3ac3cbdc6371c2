// Communicators: who is who, which ranks share a machine, and what all ranks have to know of one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

namespace common {

int rank_of(MPI_Comm comm);
int size_of(MPI_Comm comm);

/// As MPI_Barrier, for measurements: ranks that wait let those that share their core run.
void meet(MPI_Comm comm);
/// The most of all ranks, as the time of the slowest one. Waits as meet does. Collective.
double slowest(double mine, MPI_Comm comm);
/// The sum over all ranks, in the same way.
long long sum_of(long long mine, MPI_Comm comm);
/// The text that rank `from` has. Collective.
std::string broadcast(std::string text, int from, MPI_Comm comm);
/// The text of the lowest rank that has one; nothing if none has. Collective.
std::optional<std::string> first_said(const std::optional<std::string> &mine, MPI_Comm comm);

/// A communicator that is freed at the end.
class Comm {
 public:
  explicit Comm(MPI_Comm comm) : comm_(comm) {}
  Comm(const Comm &) = delete;
  Comm &operator=(const Comm &) = delete;
  ~Comm() { MPI_Comm_free(&comm_); }
  operator MPI_Comm() const { return comm_; }

 private:
  MPI_Comm comm_;
};

/// The ranks that truly share memory and cores with this one, whatever nodes are pretended. Collective.
Comm machine_of(MPI_Comm all);

}  // namespace common
