// The list of what is kept.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/kept.hpp"

#include <mutex>

namespace halocline {

void keep_for_ever(std::unique_ptr<Kept> memory) {
  static std::mutex mutex;
  static Kept *first = nullptr;
  if (!memory) return;
  const std::lock_guard lock(mutex);
  memory->next_ = first;
  first = memory.release();
}

}  // namespace halocline
