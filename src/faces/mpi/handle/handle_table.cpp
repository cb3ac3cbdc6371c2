// A table from handles to pointers: how it changes.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/handle/handle_table.hpp"

namespace halocline::mpi {

std::size_t HandleTable::Places::search(std::uintptr_t handle) const {
  std::size_t i = start(handle);
  while (at(i) != handle && at(i) != kFree) i = (i + 1) & mask;
  return i;
}

void HandleTable::insert(std::uintptr_t handle, const void *value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Places *places = places_.load(std::memory_order_relaxed);
  if (places) {
    const std::size_t there = places->search(handle);
    if (places->at(there) == handle) return places->all[there].value.store(value, std::memory_order_release);
  }
  if (!places || 2 * (places->used + 1) > places->all.size()) places = &grow();
  put(*places, handle, value);
}

/// Places that were erased are free again where nothing follows that was placed past them.
void HandleTable::erase(std::uintptr_t handle, const void *value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!places_.load(std::memory_order_relaxed)) return;
  Places &places = *places_.load(std::memory_order_relaxed);
  std::size_t i = places.search(handle);
  if (places.at(i) == kFree || (value && places.all[i].value.load(std::memory_order_relaxed) != value)) return;
  places.all[i].handle.store(kErased, std::memory_order_release);
  if (places.at((i + 1) & places.mask) != kFree) return;
  for (; places.at(i) == kErased; i = (i - 1) & places.mask) {
    places.all[i].handle.store(kFree, std::memory_order_release);
    --places.used;
  }
}

void HandleTable::put(Places &places, std::uintptr_t handle, const void *value) {
  std::size_t i = places.start(handle);
  while (places.at(i) > kErased) i = (i + 1) & places.mask;
  if (places.at(i) == kFree) ++places.used;
  places.all[i].value.store(value, std::memory_order_relaxed);
  // SYNC value-before-handle (pairs with HandleTable::find): a thread that sees the handle sees what it stands for.
  places.all[i].handle.store(handle, std::memory_order_release);
}

/// Handles that were erased stay behind. As large again only where more than a quarter of the places is in use.
HandleTable::Places &HandleTable::grow() {
  const Places *const before = places_.load(std::memory_order_relaxed);
  std::size_t live = 0;
  if (before)
    for (std::size_t i = 0; i < before->all.size(); ++i) live += before->at(i) > kErased ? 1u : 0u;
  const int bits = !before ? kFirstBits : 64 - before->shift + (4 * live > before->all.size() ? 1 : 0);
  auto *const larger = new Places(bits, before);
  if (before)
    for (const Place &place : before->all)
      if (place.handle.load(std::memory_order_relaxed) > kErased)
        put(*larger, place.handle.load(std::memory_order_relaxed), place.value.load(std::memory_order_relaxed));
  places_.store(larger, std::memory_order_release);
  return *larger;
}

}  // namespace halocline::mpi
