// What the windows of a communicator share: its ranks, on one node or on several. Opened at the first window, kept until the communicator is
// freed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/leaked_on_failure.hpp"
#include "engine/context/context.hpp"
#include "engine/memory/node_lock.hpp"
#include "engine/network/watch.hpp"
#include "faces/mpi/window/host_progress.hpp"
#include "faces/mpi/window/spare_parts.hpp"

namespace halocline::core::mpi {

/// Counts calls. Not exact, if several threads count.
class CountedCalls {
 public:
  [[gnu::always_inline]] unsigned next() {
    const unsigned calls = calls_.load(std::memory_order_relaxed) + 1;
    calls_.store(calls, std::memory_order_relaxed);
    return calls;
  }

 private:
  std::atomic<unsigned> calls_{0};
};

/// Names of operations in messages of the engine begin with this. A message of a window has the MPI function that the program called in their
/// place. Each operation has another name: RequestEngine::flush_outgoing waits for the messages of one.
inline constexpr char kRmaPrefix[] = "MPI RMA ";

/// The ranks of a communicator. Windows of the communicator share it.
class CommContext : public LeakedOnFailure {
 public:
  CommContext() = default;
  /// One that cannot be used.
  explicit CommContext(Status why) : obstacle_("out of memory"), opened_(why) {}
  ~CommContext() override;

  /// Collective over the communicator, the same on all ranks: whether this can be used, and why not. `mine` is this rank's status so far.
  void open(MPI_Comm comm, Status mine);
  /// The status of that.
  Status opened() const { return opened_; }
  /// Why the engine carries no window of these ranks; empty if it does.
  const std::string &obstacle() const { return obstacle_; }
  /// What a call returns where there is an obstacle: `unsupported`, unless a rank is lost or shared memory is missing.
  Status obstacle_status() const { return context.lost() ? Status::peer_died : opened_ == Status::memory ? opened_ : Status::unsupported; }
  /// True if the ranks are on more than one node. Then a window's words and memory are the engine's segment.
  bool spans_nodes() const { return !members_.empty(); }
  /// True if there are several nodes, and a message to another one arrives after what was put there before.
  bool keeps_order() { return spans_nodes() && context.network().keeps_order(); }
  /// The number of a rank among those of this node; kNotOnNode if it is on another.
  Member member_of(int rank) const { return members_.empty() ? rank : members_[static_cast<std::size_t>(rank)]; }
  bool is_near(int rank) const { return member_of(rank) != kNotOnNode; }
  /// True if the kernel lets the ranks of each node read and write each other's private memory.
  bool reads_others() const { return reads_others_; }
  /// All ranks, as the communicator numbers them.
  MPI_Group group() const { return group_; }
  /// Wakes a rank. A rank of another node polls.
  void ring(int rank) {
    if (is_near(rank)) context.doorbell().ring(member_of(rank));
  }
  /// Part of each call that programs repeat in a loop until something changes: yields the core, and drives the host MPI's progress.
  [[gnu::always_inline]] void yield_if_oversubscribed() {
    const unsigned calls = repeated_calls_.next();
    if (calls % 32 == 0) yield_now(calls);
  }
  /// A lock of this node's ranks in a word of shared memory.
  NodeLock lock_in(std::atomic<std::uint32_t> &word) { return {reinterpret_cast<char *>(&word), context.doorbell(), context.member()}; }
  /// Fails if the process of a rank of this node has ended, or a rank of another node cannot be reached.
  Status look_for_dead();
  /// On several nodes: requests to ranks that are lost fail from now on. Fails itself only if no rank can be reached.
  Status look_for_lost() { return watch_ ? watch_->look("MPI RMA call") : Status::ok; }
  /// On several nodes, when a window is made: from the first one on this rank knows if one of those 2^k below it is lost. Collective.
  Status watch_neighbours();
  /// This rank no longer uses the context. False if it may be closed now. Else it may be closed once all ranks have met, which this begins.
  /// Local; collective until has_met.
  bool begin_meeting();
  bool has_met();
  /// The number of the window that is being created, from 1 on: the same on all ranks.
  std::int64_t number_window() { return ++windows_; }

  Context context;
  SpareParts spares;
  CountedCalls contended_unlocks;  // that found waiting ranks

 private:
  Status open_parts(MPI_Comm comm, Status mine);
  Status number_members();
  Status try_reading(std::vector<std::int64_t> &words);
  Status read_next(std::vector<std::int64_t> &words, bool *all_read);
  void yield_now(unsigned calls);
  void drive_host();

  std::string obstacle_;
  Status opened_ = Status::ok;
  std::int64_t windows_ = 0;
  MPI_Group group_ = MPI_GROUP_NULL;
  std::vector<Member> members_;  // by rank, if there are several nodes
  bool reads_others_ = false, watches_neighbours_ = false;
  std::optional<Watch> watch_;  // if there are several nodes
  CountedCalls repeated_calls_;
  std::atomic<std::int64_t> next_drive_ns_{0};
  std::optional<DrivenByHost> driven_;  // if there are several nodes
  enum class Meeting { not_begun, begun, over } meets_ = Meeting::not_begun;
  MPI_Request meeting_ = MPI_REQUEST_NULL;
};

}  // namespace halocline::core::mpi
