// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window/spare_parts.hpp"

#include <atomic>
#include <utility>

namespace halocline::core::mpi {
namespace {

std::atomic<std::int64_t> kept_bytes{0};

std::int64_t bytes_of(const WindowParts &parts) { return parts.any() ? parts.data + parts.bytes : 0; }

}  // namespace

void SpareParts::keep(WindowParts parts) {
  if (!parts.any() || parts.bytes > kLargest) return;
  const core::Lock lock(mutex_);
  WindowParts &slot = slots_[static_cast<std::size_t>(parts.number) % kSlots];
  const std::int64_t more = bytes_of(parts) - bytes_of(slot);
  if (kept_bytes.fetch_add(more) + more > kMaxOfProcess)
    kept_bytes.fetch_sub(more);
  else
    std::swap(slot, parts);
}

SpareParts::Slots SpareParts::take_all() {
  const core::Lock lock(mutex_);
  for (const WindowParts &slot : slots_) kept_bytes.fetch_sub(bytes_of(slot));
  return std::exchange(slots_, {});
}

}  // namespace halocline::core::mpi
