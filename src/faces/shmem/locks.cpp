// OpenSHMEM 1.5, distributed locks, as queues (Mellor-Crummey and Scott): PEs get a lock in the order in which they ask, and each waits for a
// word of its own. Of the 64 bits of a lock, the low half on one PE, the home, names the last of the queue. The high half on each PE names the
// PE that follows, and says whether the lock has been passed to it; it is 0 while the PE neither has the lock nor waits for it. A PE is in the
// queue once: its other threads wait until the one that is in it has cleared the lock.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "faces/shmem/context.hpp"
#include "faces/shmem/interface.hpp"
#include "faces/shmem/pause.hpp"
#include "faces/shmem/place.hpp"

namespace halocline::core::shmem {
namespace {

/// Of the high half: the lock has been passed; a thread of the PE has the lock or waits for it. The other bits are the number of the PE that
/// follows, plus 1.
constexpr std::uint32_t kPassed = 1, kEntered = std::uint32_t{1} << 31;

constexpr std::uint32_t follower(int pe) { return (static_cast<std::uint32_t>(pe) + 1) << 1; }

/// A lock of a call.
class Lock {
 public:
  Lock(const char *call, long *lock) : call_(call), job_(need_job(call)), halves_(reinterpret_cast<std::uint32_t *>(lock)) {
    if (reinterpret_cast<std::uintptr_t>(lock) % sizeof(long) != 0)
      stop("%s on PE %d: lock is %p but must be a multiple of %zu", call, job_.rank(), static_cast<void *>(lock), sizeof(long));
    home_ = static_cast<int>(find_offset(call, {lock, sizeof(long), "lock"}, job_.rank()) / static_cast<std::int64_t>(sizeof(long)) %
                             job_.size());
  }

  bool test() {
    if (!enter()) return false;
    if (replace_last(0, me()) == 0) return true;
    leave();
    return false;
  }

  void set() {
    if (!enter()) wait_for_other_thread();
    const std::uint32_t before = change(home_, 0, HLC_OP_REPLACE, me());
    if (before == 0) return;
    // SYNC lock-queue (pairs with clear)
    change(static_cast<int>(before) - 1, 1, HLC_OP_BOR, follower(job_.rank()));
    // SYNC lock-passed (pairs with clear): what the last holder has done is seen.
    wait_for(call_, "a lock", [&] { return (mine().load(std::memory_order_acquire) & kPassed) != 0; });
    mine().fetch_and(~kPassed, std::memory_order_relaxed);
  }

  void clear() {
    // SYNC lock-queue (pairs with set)
    const std::uint32_t state = mine().load(std::memory_order_acquire);
    if ((state & kEntered) == 0) stop("%s on PE %d: this PE has not set the lock", call_, job_.rank());
    if (state == kEntered) {
      const std::uint32_t last = replace_last(me(), 0);
      if (last == me()) return leave();
      if (last == 0) stop("%s on PE %d: the lock is not set", call_, job_.rank());
      wait_for(call_, "the next PE of a lock", [&] { return mine().load(std::memory_order_acquire) != kEntered; });
    }
    // Nothing else is in its own half before it can be the last of the queue again.
    const int next = static_cast<int>((mine().fetch_and(kEntered, std::memory_order_acq_rel) & ~kEntered) >> 1) - 1;
    // SYNC lock-passed (pairs with set)
    change(next, 1, HLC_OP_BOR, kPassed);
    leave();
  }

 private:
  std::uint32_t me() const { return static_cast<std::uint32_t>(job_.rank()) + 1; }
  std::atomic_ref<std::uint32_t> mine() const { return std::atomic_ref(halves_[1]); }

  /// Whether this thread is now the one of its PE that has the lock or waits for it.
  bool enter() const { return (mine().fetch_or(kEntered, std::memory_order_acquire) & kEntered) == 0; }
  void leave() const { mine().fetch_and(~kEntered, std::memory_order_release); }

  /// Another thread of this PE has the lock, or waits for it. If no two threads may call at a time, this thread would wait for itself.
  void wait_for_other_thread() const {
    int level = SHMEM_THREAD_SINGLE;
    pshmem_query_thread(&level);
    if (level != SHMEM_THREAD_MULTIPLE)
      stop("%s on PE %d: this PE has set the lock already, and would wait for itself", call_, job_.rank());
    wait_for(call_, "a lock that this PE has set", [&] { return enter(); });
  }

  std::uint32_t *find_half(int pe, int half) const {
    return reinterpret_cast<std::uint32_t *>(find_place(call_, {halves_ + half, sizeof *halves_, "lock"}, pe));
  }

  /// Changes a half on a PE; returns what it was.
  std::uint32_t change(int pe, int half, hlc_op op, std::uint32_t operand) const {
    std::uint32_t old = 0;
    if (std::uint32_t *word = find_half(pe, half)) {
      const std::atomic_ref here(*word);
      return op == HLC_OP_REPLACE ? here.exchange(operand, std::memory_order_acq_rel) : here.fetch_or(operand, std::memory_order_acq_rel);
    }
    with_target(call_, {halves_ + half, sizeof *halves_, "lock"}, pe,
                [&](Target at) { return fetch_op(call_, at, {op, HLC_NUMBER_UINT32}, {&operand, &old}); });
    return old;
  }

  /// Names another last PE if it is `from`; returns the one before.
  std::uint32_t replace_last(std::uint32_t from, std::uint32_t to) const {
    std::uint32_t old = from;
    if (std::uint32_t *word = find_half(home_, 0)) {
      std::atomic_ref(*word).compare_exchange_strong(old, to, std::memory_order_acq_rel, std::memory_order_acquire);
      return old;
    }
    with_target(call_, {halves_, sizeof *halves_, "lock"}, home_,
                [&](Target at) { return compare_swap(call_, at, HLC_NUMBER_UINT32, {&from, &to, &old}); });
    return old;
  }

  const char *call_;
  const Job &job_;
  std::uint32_t *halves_;
  int home_ = 0;
};

}  // namespace
}  // namespace halocline::core::shmem

using namespace halocline::core::shmem;

extern "C" {

void pshmem_set_lock(long *lock) { Lock("shmem_set_lock", lock).set(); }

int pshmem_test_lock(long *lock) {
  poll_sometimes();
  return Lock("shmem_test_lock", lock).test() ? 0 : 1;
}

void pshmem_clear_lock(long *lock) {
  constexpr const char *call = "shmem_clear_lock";
  Lock held(call, lock);
  // What this PE has done is complete before another one has the lock.
  quiet(call, default_context);
  held.clear();
}

HLC_SHMEM_ALIAS(set_lock);
HLC_SHMEM_ALIAS(test_lock);
HLC_SHMEM_ALIAS(clear_lock);

}  // extern "C"
