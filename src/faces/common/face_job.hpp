// What a face keeps of a process between its first call and its last: the context, and the known losses. A face derives its own from it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>

#include "base/leaked_on_failure.hpp"
#include "engine/context/context.hpp"
#include "engine/network/watch.hpp"
#include "engine/rma/completion_set.hpp"

namespace halocline::core {

/// The calls that begin and end a job: in messages, and as other ranks see them.
struct FaceCalls {
  const char *begin, *end;
  CallName beginning, ending;
};

/// The job of one process. Runtime opens and ends it.
class FaceJob : public LeakedOnFailure {
 public:
  int rank() const { return context.rank(); }
  int size() const { return context.size(); }

  /// Collective over the communicator, the same status on all ranks.
  Status open();
  /// The first step of the end: `again` until what was sent has arrived, and all ranks have begun it. Collective.
  Status meet_to_end();
  /// The last step, after which nothing of the job is used any more. Collective.
  Status close();
  /// Releases what does not need the other ranks, of a job that is going to be leaked.
  void abandon();

  /// To be called from time to time in a wait: looks for lost ranks. Fails if the job ends, or MPI has ended.
  Status attend(const char *call);
  /// Whether any rank is lost by now.
  bool has_lost_ranks();

  Context context;
  Watch watch{context.network()};
  std::atomic<bool> is_ending{false};  // no call waits any longer

 protected:
  explicit FaceJob(const FaceCalls &calls, MPI_Comm ranks = MPI_COMM_WORLD) : calls_(calls), ranks_(ranks) {}

  /// The face's part of open. The context is open.
  virtual Status open_face() = 0;
  /// The face's part of abandon: what uses the network.
  virtual void abandon_face() = 0;
  /// Opens the network if there are several nodes. Collective.
  Status open_network();

 private:
  enum class Ending { not_begun, flushes, meets, met };

  Status begin_meeting();

  const FaceCalls calls_;
  const MPI_Comm ranks_;
  Ending ending_ = Ending::not_begun;
  CompletionSet sent_{Completion::remote};
  MPI_Request meeting_ = MPI_REQUEST_NULL;
};

}  // namespace halocline::core
