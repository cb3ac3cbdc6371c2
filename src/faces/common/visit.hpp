// Counts which threads of the process are inside a call, so that what such a call uses stays until it has returned.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace halocline::core {

/// A thread that has made calls.
struct Visitor {
  std::atomic<int> calls{0};  // written by its thread alone
  std::uint64_t number = 0;
};

namespace visit_state {

/// This thread's, null before its first call. The model is that of libraries that are loaded with their program: one instruction.
[[gnu::tls_model("initial-exec")]] extern thread_local constinit Visitor *known;
/// Whether is_alone fences all threads.
extern std::atomic<bool> fences_all;

Visitor &introduce();

}  // namespace visit_state

/// A call of the program, from its beginning to its end. A call may begin inside another of the same thread, since an
/// operation that the program defines for a reduction may call any function.
class Visit {
 public:
  Visit() : visitor_(visit_state::known ? *visit_state::known : visit_state::introduce()) {
    // SYNC visit-before-job (pairs with is_alone): the visit is counted before the job is looked at.
    const int calls = visitor_.calls.load(std::memory_order_relaxed) + 1;
    if (visit_state::fences_all.load(std::memory_order_relaxed)) {
      visitor_.calls.store(calls, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      visitor_.calls.store(calls, std::memory_order_seq_cst);
    }
  }
  Visit(const Visit &) = delete;
  Visit &operator=(const Visit &) = delete;
  ~Visit() {
    // SYNC used-before-released (pairs with is_alone)
    visitor_.calls.store(visitor_.calls.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  }

  /// To be called before the first visit that is_alone is to find. Visits cost less where the kernel can fence all threads of a process
  /// (membarrier).
  static void prepare();
  /// Number of calls that this thread is in.
  static int depth();
  /// False while another thread is in a call that it began before it could see what the caller stored last.
  static bool is_alone();

 private:
  Visitor &visitor_;
};

/// A number that no other thread of the process has had.
std::uint64_t thread_number();

}  // namespace halocline::core
