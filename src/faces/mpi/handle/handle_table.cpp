// A table from handles to pointers: how it changes.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/handle/handle_table.hpp"

namespace halocline::mpi {

void HandleTable::insert(std::uintptr_t handle, const void *value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (2 * (used_ + 1) > kept_.back()->all.size()) grow();
  put(*kept_.back(), handle, value);
}

/// Places that were erased are free again where nothing follows that was placed past them.
void HandleTable::erase(std::uintptr_t handle) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Places &places = *kept_.back();
  std::size_t i = places.start(handle);
  while (places.at(i) != handle && places.at(i) != kFree) i = (i + 1) & places.mask;
  if (places.at(i) == kFree) return;
  places.all[i].handle.store(kErased, std::memory_order_release);
  if (places.at((i + 1) & places.mask) != kFree) return;
  for (; places.at(i) == kErased; i = (i - 1) & places.mask) {
    places.all[i].handle.store(kFree, std::memory_order_release);
    --used_;
  }
}

void HandleTable::put(Places &places, std::uintptr_t handle, const void *value) {
  std::size_t i = places.start(handle);
  while (places.at(i) > kErased) i = (i + 1) & places.mask;
  if (places.at(i) == kFree) ++used_;
  places.all[i].value.store(value, std::memory_order_relaxed);
  // SYNC value-before-handle (pairs with HandleTable::find): a thread that sees the handle sees what it stands for.
  places.all[i].handle.store(handle, std::memory_order_release);
}

/// Handles that were erased stay behind.
void HandleTable::grow() {
  auto larger = std::make_unique<Places>(bits_++);
  used_ = 0;
  if (!kept_.empty())
    for (const Place &place : kept_.back()->all)
      if (place.handle.load(std::memory_order_relaxed) > kErased)
        put(*larger, place.handle.load(std::memory_order_relaxed), place.value.load(std::memory_order_relaxed));
  kept_.push_back(std::move(larger));
  places_.store(kept_.back().get(), std::memory_order_release);
}

}  // namespace halocline::mpi
