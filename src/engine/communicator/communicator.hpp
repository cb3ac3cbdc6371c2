// The ranks of a context: their nodes, the doorbells within a node, the buffer for agreements, and the call that each rank is in. All of
// the engine uses it; engine/context/context.cpp opens it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>

#include "base/status.hpp"
#include "engine/communicator/call.hpp"
#include "engine/communicator/progress_mode.hpp"
#include "engine/communicator/remote_progress.hpp"
#include "engine/communicator/roll_call.hpp"
#include "engine/communicator/topology.hpp"
#include "transport/shm/doorbell.hpp"
#include "transport/shm/region.hpp"

namespace halocline::core {

using Doorbell = transport::shm::Doorbell;
using SharedMemory = transport::shm::Region;

/// What one agreement of all ranks reads and writes. It is a member of the communicator, so that agreeing allocates nothing.
struct AgreementBuffer {
  static constexpr int kNumbers = 16;
  struct Outcome {
    int status = 0;
    char message[1020] = "";
  };
  /// The collective call that a rank is in; `text` contains all of it, with the plan's name and fields.
  struct Place {
    std::int64_t call = 0, plan = 0;
    char text[496] = "";
  };
  std::int64_t mine[kNumbers] = {}, all[kNumbers] = {};
  Outcome outcome;
  Place place;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// Whether a collective step has failed: a rank is lost, and MPI's pending operations of that step cannot be cancelled.
class LostState {
 public:
  /// From now on every collective step fails at once, with the first failure's status and message, which it returns.
  Status lose(Status why);
  /// The same after MPI has been finalised. Each later call reports this with its own name.
  void lose_with_mpi(const char *call, int rank);
  bool lost() const { return failed(why_); }
  /// The status and the message of the failure.
  Status why_lost() const;

 private:
  Status why_ = Status::ok;
  char message_[sizeof AgreementBuffer::Outcome::message] = "";
  bool with_mpi_ = false;
};

/// The ranks of a context. Functions that do not communicate may be called from any thread.
class Communicator : public Topology, public LostState {
 public:
  Communicator() : calls_(doorbell_) {}
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;
  ~Communicator();

  MPI_Comm comm() const { return comm_; }
  MPI_Comm node_comm() const { return node_comm_; }
  /// With it the ranks of the node wake each other.
  Doorbell &doorbell() { return doorbell_; }
  AgreementBuffer &agreement() { return agreement_; }
  /// The call that this rank is in.
  CallState &calls() { return calls_; }
  CallWord call() const { return calls_.published(); }
  /// The call that another rank of the node is in.
  CallWord call_of(Member member) const { return CallWord::unpacked(doorbell_.call(member)); }
  RollCall &roll_call() { return roll_call_; }
  /// The number of the next plan, the same on all ranks.
  std::int64_t next_plan() const { return plans_made_ + 1; }
  /// Counts a plan once all ranks have entered the call that makes it.
  void count_plan() { plans_made_ += 1; }

  /// What drives progress of the network (HALOCLINE_PROGRESS).
  Progress progress() const { return progress_; }
  /// The network while it is open, else null: then no other rank needs progress from this one.
  RemoteProgress *remote() const {
    // SYNC opened-before-remote (pairs with set_remote)
    return remote_.load(std::memory_order_acquire);
  }
  void set_remote(RemoteProgress *remote) {
    // SYNC opened-before-remote (pairs with remote)
    remote_.store(remote, std::memory_order_release);
  }
  /// Drives progress of the network and MPI, for what others wait for. A wait that does not call MPI calls this now and then. MPI may
  /// report a send or a collective as complete while its last message is still queued here. It sends that only inside its own calls. On a
  /// thread that may not call MPI only the network progresses.
  void drive_progress();

  /// The member number of a rank on this node, kNotOnNode if it is on another. Cold: asks MPI.
  Member member_of(int rank) const;
  /// The rank of a member of this node. Cold.
  int rank_of(Member member) const;
  /// The lowest rank of this node whose process has ended; -1 if there is none.
  int find_dead() const;
  /// Wakes all ranks of the node that sleep.
  void ring_node() { doorbell_.ring_below(members()); }
  /// Counts segments whose notifications any rank of the node may wait for. While there are any, an arrival here may be for any of those
  /// ranks.
  void count_shared(int more) { shared_.fetch_add(more, std::memory_order_relaxed); }
  /// Wakes the ranks that may wait for an arrival here.
  void ring_waiters();

 protected:
  /// Leaves the communicators to MPI, which can only free them collectively.
  void abandon();

  MPI_Comm comm_ = MPI_COMM_NULL, node_comm_ = MPI_COMM_NULL;
  MPI_Group group_ = MPI_GROUP_NULL, node_group_ = MPI_GROUP_NULL;
  Progress progress_ = Progress::spare;
  Doorbell doorbell_;
  AgreementBuffer agreement_;

 private:
  CallState calls_;
  RollCall roll_call_;
  std::atomic<RemoteProgress *> remote_{nullptr};
  std::int64_t plans_made_ = 0;
  std::atomic<int> shared_{0};
};

/// One segment that Communicator::count_shared counts, from `count` on as long as the object lives.
class CountedShared {
 public:
  CountedShared() = default;
  CountedShared(const CountedShared &) = delete;
  CountedShared &operator=(const CountedShared &) = delete;
  ~CountedShared() {
    if (communicator_) communicator_->count_shared(-1);
  }
  void count(Communicator &communicator) {
    communicator_ = &communicator;
    communicator.count_shared(1);
  }

 private:
  Communicator *communicator_ = nullptr;
};

/// A collective call, from its first line to its last.
class Call {
 public:
  Call(Communicator &communicator, CallName name, std::int64_t plan = 0);
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;
  ~Call();

 private:
  void record() const;

  Communicator &communicator_;
  CallWord mine_, before_;
  std::int64_t begun_ns_;
};

/// The call that makes a plan, as messages name it: "hlc_halo_init of plan 'flow'", or "... of plan 2" without a name. Allocates nothing.
struct PlanCall {
  explicit PlanCall(const Communicator &communicator, const char *name = nullptr);
  char text[200];
};

}  // namespace halocline::core
