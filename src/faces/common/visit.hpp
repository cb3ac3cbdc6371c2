// Counts which threads of the process are inside a call, so that what such a call uses stays until it has returned.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::core {

struct Visitor;

/// A call of the program, from its beginning to its end. A call may begin inside another of the same thread, since an
/// operation that the program defines for a reduction may call any function.
class Visit {
 public:
  Visit();
  Visit(const Visit &) = delete;
  Visit &operator=(const Visit &) = delete;
  ~Visit();

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
