// What ThreadSanitizer sees of the thread MPI: nothing but the orders that the MPI standard promises. The MPI's own mutex would order every
// call before every later one of any rank. It would hide the very races that a missing flush or wait causes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sanitizer/tsan_interface.h>

#include <condition_variable>
#include <cstring>
#include <mutex>

extern "C" {
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);
void __tsan_read_range(void *memory, unsigned long bytes);
void __tsan_write_range(void *memory, unsigned long bytes);
}

namespace halocline::threads {

inline void hide() {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
}

inline void show() {
  AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

/// Holds the one lock of the MPI, on whose condition its threads wait; both are hidden from ThreadSanitizer. Every MPI function makes one.
class Inside {
 public:
  Inside() {
    hide();
    mutex().lock();
  }
  ~Inside() {
    changed().notify_all();
    mutex().unlock();
    show();
  }
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;

  /// Lets the other ranks proceed until the condition holds.
  template <class Condition>
  void wait_for(Condition condition) {
    changed().notify_all();
    std::unique_lock lock(mutex(), std::adopt_lock);
    changed().wait(lock, condition);
    lock.release();
  }

 private:
  static std::mutex &mutex() {
    static std::mutex one;
    return one;
  }
  static std::condition_variable &changed() {
    static std::condition_variable one;
    return one;
  }
};

/// Within Inside: what follows accesses the caller's own memory, so ThreadSanitizer sees it again.
class InSight {
 public:
  InSight() { show(); }
  ~InSight() { hide(); }
  InSight(const InSight &) = delete;
  InSight &operator=(const InSight &) = delete;
};

/// Within Inside: a copy whose source or target is memory of a caller.
enum class Seen { source, target, both };
inline void copy(char *to, const char *from, std::size_t bytes, Seen seen) {
  if (bytes == 0) return;
  {
    const InSight look;
    if (seen != Seen::target) __tsan_read_range(const_cast<char *>(from), bytes);
    if (seen != Seen::source) __tsan_write_range(to, bytes);
  }
  std::memcpy(to, from, bytes);
}

/// One order that MPI promises: what a rank did before give() happens before what another does after take().
class Order {
 public:
  void give() {
    const InSight look;
    __tsan_release(&mark_);
  }
  void take() {
    const InSight look;
    __tsan_acquire(&mark_);
  }

 private:
  char mark_ = 0;
};

}  // namespace halocline::threads
