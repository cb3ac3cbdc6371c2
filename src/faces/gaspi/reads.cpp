// Testing whether reads have ended.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/reads.hpp"

#include <utility>

#include "engine/network/request_engine.hpp"

namespace halocline::core::gaspi {

void Reads::notify(const LocalMemory &segment, int id) {
  segment.words().notifications.set(id, 1);
  segment.ring();
}

void Reads::notify_after(const RemoteMemory &from, std::shared_ptr<LocalMemory> segment, int id) {
  if (from.is_near()) return notify(*segment, id);
  const std::lock_guard lock(mutex_);
  under_way_.push_back({context_.network().requests()->begin_flush(from.rank(), false), std::move(segment), id});
  count_.fetch_add(1, std::memory_order_relaxed);
}

/// A failed read sets no notification; gaspi_wait on its queue reports the failure.
bool Reads::look() {
  if (count_.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(mutex_);
  const std::size_t over = std::erase_if(under_way_, [this](Read &read) {
    const Status status = context_.network().requests()->look(read.flush, "gaspi_read_notify");
    if (status == Status::ok) notify(*read.segment, read.id);
    return status != Status::again;
  });
  count_.store(static_cast<int>(under_way_.size()), std::memory_order_relaxed);
  return over > 0;
}

}  // namespace halocline::core::gaspi
