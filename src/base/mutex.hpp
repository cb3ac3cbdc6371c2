// A mutex whose use clang checks while it compiles (-Wthread-safety; https://clang.llvm.org/docs/ThreadSafetyAnalysis.html). std::mutex of
// libstdc++ has no annotations. A member that is HLC_GUARDED_BY a mutex may only be used while it is locked, and a function that
// HLC_REQUIRES it only called then. Other compilers see a std::mutex and its guard.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>

#ifdef __clang__
#define HLC_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define HLC_THREAD_SAFETY(attribute)
#endif
#define HLC_GUARDED_BY(mutex) HLC_THREAD_SAFETY(guarded_by(mutex))
#define HLC_REQUIRES(mutex) HLC_THREAD_SAFETY(requires_capability(mutex))
/// For a lambda that is called while its maker holds the lock. The check sees a lambda as a function of its own, and is off in it.
#define HLC_UNDER_LOCK_OF_MAKER HLC_THREAD_SAFETY(no_thread_safety_analysis)

namespace halocline::core {

class HLC_THREAD_SAFETY(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;
  void lock() HLC_THREAD_SAFETY(acquire_capability()) { mutex_.lock(); }
  bool try_lock() HLC_THREAD_SAFETY(try_acquire_capability(true)) { return mutex_.try_lock(); }
  void unlock() HLC_THREAD_SAFETY(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// A mutex where perhaps only one thread calls: then it does nothing.
class HLC_THREAD_SAFETY(capability("mutex")) OptionalMutex {
 public:
  explicit OptionalMutex(bool many_threads) : many_threads_(many_threads) {}
  OptionalMutex(const OptionalMutex &) = delete;
  OptionalMutex &operator=(const OptionalMutex &) = delete;
  void lock() HLC_THREAD_SAFETY(acquire_capability()) {
    if (many_threads_) mutex_.lock();
  }
  bool try_lock() HLC_THREAD_SAFETY(try_acquire_capability(true)) { return !many_threads_ || mutex_.try_lock(); }
  void unlock() HLC_THREAD_SAFETY(release_capability()) {
    if (many_threads_) mutex_.unlock();
  }

 private:
  bool many_threads_;
  std::mutex mutex_;
};

/// Holds one of them as long as it lives.
template <class AnyMutex>
class HLC_THREAD_SAFETY(scoped_lockable) Lock {
 public:
  explicit Lock(AnyMutex &mutex) HLC_THREAD_SAFETY(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  /// The caller has locked it.
  Lock(AnyMutex &mutex, std::adopt_lock_t) HLC_THREAD_SAFETY(requires_capability(mutex)) : mutex_(mutex) {}
  ~Lock() HLC_THREAD_SAFETY(release_capability()) { mutex_.unlock(); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

 private:
  AnyMutex &mutex_;
};

}  // namespace halocline::core
