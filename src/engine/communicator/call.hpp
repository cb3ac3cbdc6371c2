// Which call of the library a rank is in, so that ranks in different calls can be told apart, and a rank that waits can say where another is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "transport/shm/doorbell.hpp"

namespace halocline {

/// The calls that all ranks make together, and those in which a rank waits for others.
enum class CallName : std::uint8_t {
  none,
  init,
  finalise,
  field_alloc,
  grid_reorder,
  refuse,
  halo_init,
  halo_finalise,
  index_halo_init,
  index_halo_finalise,
  blocks_init,
  blocks_finalise,
  exchange_create,
  exchange_destroy,
  allreduce_create,
  allreduce_destroy,
  segment_create,
  segment_free,
  swap,
  allreduce_run,
  barrier,
  notify_wait,
  gaspi_init,
  gaspi_term,
  count_
};

/// Its name in messages.
const char *name_of(CallName name);

/// A call, and the number of the plan that it makes, uses or ends: plans of a context (halos, exchanges, reductions, segments) are counted
/// from 1 in the order in which they are made, the same on all ranks. 0: no plan.
struct CallWord {
  CallName name = CallName::none;
  std::int64_t plan = 0;

  /// As one number, never negative: ranks compare it, and read it in each other's memory.
  std::int64_t packed() const { return plan * 256 + static_cast<std::int64_t>(name); }
  static CallWord unpacked(std::int64_t packed);
  /// "hlc_halo_finalise of plan 2"; "no call that waits" for none.
  std::string text() const;
  /// The same without memory of its own.
  void write(char *text, std::size_t bytes) const;
};

/// In which call a rank is, as it says itself: the collective call, or else the wait that lasts. The node's memory has it for the other ranks.
class CallState {
 public:
  explicit CallState(transport::shm::Doorbell &doorbell) : doorbell_(doorbell) {}
  CallState(const CallState &) = delete;
  CallState &operator=(const CallState &) = delete;

  /// In which collective call this rank is from now on. Returns the one before. One thread at a time.
  CallWord enter(CallWord call);
  /// The collective call that this rank is in, whatever other threads wait for.
  CallWord collective() const { return collective_; }
  /// A wait that lasts: while this rank is in no collective call, it is in that one. False if another thread's is told already. Any thread.
  bool enter_wait(CallWord wait);
  /// It is over.
  void leave_wait();
  /// The call that others are told of.
  CallWord told() const { return CallWord::unpacked(told_.load(std::memory_order_relaxed)); }
  /// When the collective call began that this rank is in.
  std::int64_t begun_ns() const { return begun_ns_; }
  void begin(std::int64_t now_ns) { begun_ns_ = now_ns; }

 private:
  void tell();

  transport::shm::Doorbell &doorbell_;
  std::mutex mutex_;
  CallWord collective_, wait_;
  std::atomic<std::int64_t> told_{0};
  std::int64_t begun_ns_ = 0;
};

}  // namespace halocline
