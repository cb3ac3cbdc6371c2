// Who has not come. A collective step that has waited too long asks the ranks of other nodes where they are; a rank that waits in any call of
// the library answers. Only steps that have failed ask, so that what is never answered belongs to a context that is lost.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <mutex>
#include <vector>

#include "engine/call.hpp"

namespace halocline {

/// A rank that has not come to a call, and where it is instead; `known` is false for a rank that has not answered.
struct Absent {
  int rank = 0;
  bool known = false;
  CallWord word;
};

/// One rank's part in it. Any thread that may call MPI.
class RollCall {
 public:
  /// Tells ranks that ask that this one is in the call `mine`. Does not wait.
  void answer(MPI_Comm comm, CallWord mine);
  /// Asks the other ranks of the context that are not of this node, at most kMostAsked of them, and adds those that are not in the same call.
  /// Waits for kLongestWait_ns at most, and less if HALOCLINE_TIMEOUT is short.
  void ask(Context &context, CallWord mine, std::vector<Absent> &absent);
  /// How long asking takes at most.
  static std::int64_t patience_ns(const Context &context);

 private:
  static constexpr int kMostAsked = 1024;
  static constexpr std::int64_t kLongestWait_ns = 1'000'000'000;

  /// What a rank has said of itself, by asking or by answering.
  struct Heard {
    int rank;
    std::int64_t word;
    bool asking;  // who asks is about to give up
  };
  struct Answer {
    std::int64_t word = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  bool receive(MPI_Comm comm, int tag);
  std::size_t heard_count();
  void send_answer(MPI_Comm comm, int rank, CallWord mine);

  std::mutex mutex_;
  std::vector<Heard> heard_;
  std::array<Answer, 64> answers_;
};

/// The ranks that have not come to the collective call in which this rank is, with the calls in which they are: "rank 1 (in hlc_barrier)".
/// Empty if none is known to be missing. Ranks of other nodes are asked.
std::string name_missing(Context &context);

/// The same of a call that meets in shared memory alone: the ranks of this node that do not wait in the call `mine`. What ranks of other nodes do
/// is not asked.
std::string name_missing_members(Context &context, CallWord mine);

}  // namespace halocline
