// Queries to the ranks of other nodes, and answers: which call a rank is in. A rank that waits in any call of the library answers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <functional>
#include <mutex>
#include <vector>

#include "engine/communicator/call.hpp"

namespace halocline::core {

/// A rank that has not entered a call, and the call that it is in instead. `known` is false if it has not answered.
struct Absent {
  int rank = 0;
  bool known = false;
  CallWord word;
};

/// One rank's queries and answers. May be called by any thread that may call MPI.
class RollCall {
 public:
  /// Answers received queries: this rank is in the call `mine`. Does not wait.
  void answer(MPI_Comm comm, CallWord mine);
  /// Asks the ranks in `asked`, and stores their answers there. Waits until all have answered, at most `longest_ns`; calls drive_progress()
  /// meanwhile. Only failed steps ask, so queries that are never answered belong to a communicator that is lost.
  void ask(MPI_Comm comm, CallWord mine, std::int64_t longest_ns, std::vector<Absent> &asked, const std::function<void()> &drive_progress);

 private:
  /// The call that a rank has reported, in a query or an answer.
  struct Received {
    int rank;
    std::int64_t word;
    bool asking;  // in a query: its sender is about to abandon the call
  };
  struct Answer {
    std::int64_t word = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  bool receive(MPI_Comm comm, int tag);
  std::size_t received_count();
  void send_reply(MPI_Comm comm, int rank, CallWord mine);

  std::mutex mutex_;
  std::vector<Received> received_;
  std::array<Answer, 64> answers_;
};

}  // namespace halocline::core
