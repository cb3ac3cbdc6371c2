// Which call of the library a rank is in. With it ranks detect that they are in different calls, and a rank that waits reports where
// another is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "transport/shm/doorbell.hpp"

namespace halocline::core {

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
  sparse_create,
  sparse_destroy,
  swap,
  allreduce_run,
  sparse_finish,
  barrier,
  notify_wait,
  gaspi_init,
  gaspi_term,
  shmem_init,
  shmem_finalize,
  armci_init,
  armci_finalize,
  count_
};

/// Its name in messages.
const char *name_of(CallName name);

/// A call, and the number of the plan that it makes, uses or ends; 0: no plan. The plans of a context (halos, exchanges, reductions,
/// segments) are numbered from 1 in the order of their creation, the same on all ranks.
struct CallWord {
  CallName name = CallName::none;
  std::int64_t plan = 0;

  /// Both as one number, never negative: ranks compare it, and read it in each other's memory.
  std::int64_t packed() const { return plan * 256 + static_cast<std::int64_t>(name); }
  static CallWord unpacked(std::int64_t packed);
  /// Whether it ends this plan: a rank in it makes no other call of the plan, and waits for the ranks that still do.
  bool ends(std::int64_t of_plan) const;
  /// "hlc_halo_finalise of plan 2"; "no call that waits" for none.
  std::string text() const;
  /// The same, written to `text`; allocates nothing.
  void write(char *text, std::size_t bytes) const;
};

/// The call that this rank reports to be in: the collective call, or else a long wait. The other ranks of the node read it in shared
/// memory.
class CallState {
 public:
  explicit CallState(transport::shm::Doorbell &doorbell) : doorbell_(doorbell) {}
  CallState(const CallState &) = delete;
  CallState &operator=(const CallState &) = delete;

  /// Sets the collective call that this rank is in. Returns the previous one. One thread at a time.
  CallWord enter(CallWord call);
  /// The collective call that this rank is in, even if other threads wait in other calls.
  CallWord collective() const {
    const std::lock_guard lock(mutex_);
    return collective_;
  }
  /// Sets the long wait to report while this rank is in no collective call. False if another thread's wait is set already. Any thread.
  bool enter_wait(CallWord wait);
  /// Ends the wait that enter_wait has set.
  void leave_wait();
  /// The call that is reported to others.
  CallWord published() const { return CallWord::unpacked(published_.load(std::memory_order_relaxed)); }
  /// When this rank's collective call began.
  std::int64_t begun_ns() const { return begun_ns_; }
  void begin(std::int64_t now_ns) { begun_ns_ = now_ns; }

 private:
  void publish();

  transport::shm::Doorbell &doorbell_;
  mutable std::mutex mutex_;
  CallWord collective_, wait_;
  std::atomic<std::int64_t> published_{0};
  std::int64_t begun_ns_ = 0;
};

}  // namespace halocline::core
