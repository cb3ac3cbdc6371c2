// The ranks that stand for their nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "base/status.hpp"

namespace halocline::core {

class Communicator;

/// One rank per node. Their communicator is created by the first meet, which is collective over the context's communicator.
class NodeLeaders {
 public:
  NodeLeaders() = default;
  NodeLeaders(const NodeLeaders &) = delete;
  NodeLeaders &operator=(const NodeLeaders &) = delete;
  ~NodeLeaders();

  Status meet(Communicator &communicator);
  MPI_Comm comm() const { return comm_; }
  /// Leaves the communicator to MPI, which can only free it collectively.
  void give_up() { comm_ = MPI_COMM_NULL; }

 private:
  bool met_ = false;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace halocline::core
