// The communicator that the candidates of a plan share. Their swaps follow each other in one order on all ranks, and a swap is over when all
// of its messages have arrived. So a message of one candidate is never taken for another's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/communicator/communicator.hpp"

namespace halocline::core {

class LentComm {
 public:
  explicit LentComm(Communicator &communicator) : communicator_(communicator) {}
  LentComm(const LentComm &) = delete;
  LentComm &operator=(const LentComm &) = delete;
  /// Collective, unless it was abandoned or a rank is lost. The exchanges that use it have ended.
  ~LentComm() {
    if (comm_ != MPI_COMM_NULL && !communicator_.lost()) MPI_Comm_free(&comm_);
  }

  /// Collective.
  Status create() { return check_mpi(MPI_Comm_dup(communicator_.comm(), &comm_), "MPI_Comm_dup"); }
  /// Leaves it to MPI: messages of a failed swap may be pending.
  void abandon() { comm_ = MPI_COMM_NULL; }
  MPI_Comm comm() const { return comm_; }

 private:
  Communicator &communicator_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace halocline::core
