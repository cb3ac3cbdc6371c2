// Where the ranks of a node wait, and how they wake each other: a doorbell per rank in shared memory, rung only for a rank that sleeps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <utility>

#include "base/atomics.hpp"
#include "transport/shm/region.hpp"

namespace halocline::transport::shm {

/// A process as others find it again, also when its number has been given to another.
struct Process {
  std::int64_t pid;
  std::uint64_t pid_namespace;
  std::uint64_t start_time;

  static Process of(pid_t pid);
  /// False once it has ended; true where that cannot be known (another pid namespace).
  bool alive() const;
};

/// One rank's place in the node's shared memory. Offsets and numbers only, no pointers.
///
///   line pair 0  doorbell      futex word; written by whoever wakes this rank
///   line pair 1  sleepers  written by this rank's threads; read by everybody after each notification
///   line pair 2  process   written by this rank: who it is, once, at creation; the collective steps that it has come to, and the call it is in
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
  /// Takes the node's memory, a part of sizeof(DoorbellState) per member, and enters this process. The others may look once it is done.
  void attach(Region region, Member me);
  /// Takes the node's memory in a process that is no member: it may ring.
  void look_on(Region region) { region_ = std::move(region); }
  /// Takes states that exist already, one behind the other: how threads play ranks in a test.
  void attach(DoorbellState *states, Member me);

  /// Wakes a member if it sleeps. Call it after the release store that the member waits for.
  void ring(Member member) {
    // SYNC counter-before-sleepers (pairs with Doorbell::announce_sleep): the store of the counter comes before the look at sleepers.
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
  /// The doorbell's value; read it before the last look at the counters, hand it to sleep.
  std::uint32_t word() const { return state(me_).word.load(std::memory_order_acquire); }
  /// Says that this thread will sleep, and makes sure that either it sees the counter or the notifier sees the sleeper.
  void announce_sleep();
  /// Sleeps until the doorbell differs from seen, or the time is over.
  void sleep(std::uint32_t seen, long timeout_ns);
  /// Takes the announcement back.
  void awake();
  /// Counts the collective steps of this rank, so that the others can tell who has not come; cold.
  void count_step() { state(me_).steps.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t steps(Member member) const { return state(member).steps.load(std::memory_order_relaxed); }
  /// Says in which call this rank is, for messages of others; what the number means is the caller's own.
  void enter(std::int64_t call) { state(me_).call.store(call, std::memory_order_relaxed); }
  std::int64_t call(Member member) const { return state(member).call.load(std::memory_order_relaxed); }
  /// The process of a member, as this process's pid namespace numbers it.
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

}  // namespace halocline::transport::shm
