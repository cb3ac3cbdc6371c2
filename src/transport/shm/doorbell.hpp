// How the ranks of a node wait and wake each other: a doorbell per rank in shared memory, rung only if the rank sleeps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <utility>

#include "base/atomics.hpp"
#include "transport/shm/region.hpp"

namespace halocline::core::transport::shm {

/// Identifies a process, even after its pid has been reused.
struct Process {
  std::int64_t pid;
  std::uint64_t pid_namespace;
  std::uint64_t start_time;

  static Process of(pid_t pid);
  /// False once it has ended; true where that cannot be known (another pid namespace).
  bool alive() const;
};

/// One rank's state in the node's shared memory, in three line pairs. Numbers only, no pointers.
///
/// - Line pair 0, word: futex word; written by a rank that wakes this one.
/// - Line pair 1, sleepers: written by this rank's threads; read by all ranks after each notification.
/// - Line pair 2, written by this rank. process: its identity, written once. steps: collective steps entered. call: the call that it is in.
struct DoorbellState {
  alignas(kLinePair) std::atomic<std::uint32_t> word;
  alignas(kLinePair) std::atomic<std::uint32_t> sleepers;
  alignas(kLinePair) Process process;
  std::atomic<std::uint64_t> steps;
  std::atomic<std::int64_t> call;
};
static_assert(sizeof(DoorbellState) == 3 * kLinePair);

/// The doorbells of a node, seen by one rank. Any thread may ring; each waiting thread announces itself.
class Doorbell {
 public:
  /// Takes the node's memory, a part of sizeof(DoorbellState) per member, and enters this process. The others may read it afterwards.
  void attach(Region region, Member me);
  /// Takes the node's memory in a process that is not a member: it may ring.
  void look_on(Region region) { region_ = std::move(region); }
  /// Takes an existing array of states, for tests in which threads are ranks.
  void attach(DoorbellState *states, Member me);

  /// Wakes a member if it sleeps. Call it after the release store that the member waits for.
  void ring(Member member) {
    // SYNC counter-before-sleepers (pairs with Doorbell::announce_sleep): the store of the counter precedes the look at sleepers.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    wake_if_asleep(member);
  }
  /// As ring, for several members after one fence.
  template <class Members>
  void ring_all(const Members &members) {
    // SYNC counter-before-sleepers (pairs with Doorbell::announce_sleep)
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (const Member member : members) wake_if_asleep(member);
  }
  /// As ring, for all members below `end` after one fence.
  void ring_below(Member end) {
    // SYNC counter-before-sleepers (pairs with Doorbell::announce_sleep)
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (Member member = 0; member < end; ++member) wake_if_asleep(member);
  }
  /// The doorbell's value; read it before the last look at the counters, and pass it to sleep.
  std::uint32_t word() const { return state(me_).word.load(std::memory_order_acquire); }
  /// Announces that this thread will sleep. Either it then sees the counter, or the notifier sees the sleeper.
  void announce_sleep();
  /// Sleeps until the doorbell differs from `seen`, or the time has passed. May return early.
  void sleep(std::uint32_t seen, long timeout_ns);
  /// Withdraws the announcement.
  void awake();
  /// Counts the collective steps of this rank, so that the others can find ranks that have not entered a step; cold.
  void count_step() { state(me_).steps.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t steps(Member member) const { return state(member).steps.load(std::memory_order_relaxed); }
  /// Stores the call that this rank is in, for error messages of others. The caller defines the number's meaning.
  void enter(std::int64_t call) { state(me_).call.store(call, std::memory_order_relaxed); }
  std::int64_t call(Member member) const { return state(member).call.load(std::memory_order_relaxed); }
  /// The pid of a member's process, in its own pid namespace.
  pid_t process_of(Member member) const { return static_cast<pid_t>(state(member).process.pid); }
  bool attached() const { return states_ || region_.mapped(); }
  const Region &region() const { return region_; }
  /// False once a member's process has ended; true where that cannot be known (another pid namespace).
  bool alive(Member member) const { return state(member).process.alive(); }

 private:
  DoorbellState &state(Member member) const { return states_ ? states_[member] : *reinterpret_cast<DoorbellState *>(region_.part(member)); }
  void wake_if_asleep(Member member) {
    if (state(member).sleepers.load(std::memory_order_relaxed) != 0) wake(member);
  }
  void wake(Member member);

  Region region_;
  DoorbellState *states_ = nullptr;
  Member me_ = 0;
};

static_assert(DoorbellContract<Doorbell>);

}  // namespace halocline::core::transport::shm
