// Which operations of a random program notify their target, and what the target knows once it has seen the notifications: their number, and
// that the data of puts are there. Compiled with RANDOM_RMA_NOTIFIED; without it nothing notifies, so that any MPI runs the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "mpi_rma/plan.hpp"

namespace random_rma {

/// What a call of MPI for an operation takes.
struct Transfer {
  void *origin;
  MPI_Datatype from, at;
  MPI_Aint place;
  MPI_Op op;
};

#ifdef RANDOM_RMA_NOTIFIED

class Notices {
 public:
  /// Collective.
  void open(MPI_Win win, int rank, int ranks);
  /// Makes the access, and returns true, if it is one that notifies.
  bool issue(const Operation &operation, const Transfer &transfer) const;
  /// Waits for the notifications that these operations send to this rank, by requests of several kinds. `data` is the rank's window. Returns what
  /// is wrong, or ''.
  std::string await(const std::vector<Operation> &operations, const char *data, Random &random);

 private:
  static constexpr int kNotifications = 3;
  static bool notifies(const Operation &operation);
  static int notification_of(const Operation &operation) { return operation.id % kNotifications; }
  std::string wait(int source, int notification, int count) const;
  std::string compare_counts() const;

  MPI_Win win_ = MPI_WIN_NULL;
  int rank_ = 0, ranks_ = 1;
  MPI_Count arrived_[kNotifications] = {};  // so far, by the plan
};

#else

class Notices {
 public:
  void open(MPI_Win, int, int) {}
  bool issue(const Operation &, const Transfer &) const { return false; }
  std::string await(const std::vector<Operation> &, const char *, Random &) { return ""; }
};

#endif

}  // namespace random_rma
