// The list of buffers that are in use.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/check/buffers.hpp"

#include <algorithm>

namespace halocline::core::mpi {

bool BusyBuffers::find(const BusyBuffer &wanted, BusyBuffer *found, ByteRange *common) const {
  const std::lock_guard lock(mutex_);
  for (const BusyBuffer &busy : all_)
    if ((busy.is_written || wanted.is_written) && overlap(busy.runs, wanted.runs, common)) {
      *found = busy;
      return true;
    }
  return false;
}

/// The oldest ones are forgotten.
void BusyBuffers::add(const BusyBuffer &buffer) {
  const std::lock_guard lock(mutex_);
  if (all_.size() == kMax) all_.erase(all_.begin(), all_.begin() + kMax / 4);
  all_.push_back(buffer);
}

template <class Match>
void BusyBuffers::erase(Match match) {
  const std::lock_guard lock(mutex_);
  all_.erase(std::remove_if(all_.begin(), all_.end(), match), all_.end());
}

void BusyBuffers::forget(const Window &window, int target) {
  erase([&](const BusyBuffer &busy) { return busy.window == &window && (target < 0 || busy.target == target); });
}

void BusyBuffers::forget_access(const Window &window, std::uint64_t id) {
  erase([&](const BusyBuffer &busy) { return busy.window == &window && busy.id == id; });
}

/// Never destroyed: other threads may still access windows.
BusyBuffers &busy_buffers() {
  static auto *const all = new BusyBuffers;
  return *all;
}

}  // namespace halocline::core::mpi
