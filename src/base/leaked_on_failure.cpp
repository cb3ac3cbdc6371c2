// The list of leaked memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/leaked_on_failure.hpp"

#include <mutex>

namespace halocline::core {

void leak(std::unique_ptr<LeakedOnFailure> memory) {
  static std::mutex mutex;
  static LeakedOnFailure *first = nullptr;
  if (!memory) return;
  const std::lock_guard lock(mutex);
  memory->next_ = first;
  first = memory.release();
}

}  // namespace halocline::core
