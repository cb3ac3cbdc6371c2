// A table from handles to pointers: how it changes.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/handle/handle_table.hpp"

#include <new>

namespace halocline::mpi {

std::size_t HandleTable::Places::search(std::uintptr_t handle) const {
  std::size_t i = start(handle);
  while (at(i) != handle && at(i) != kFree) i = (i + 1) & mask;
  return i;
}

const void *HandleTable::find_further(const Places &places, std::uintptr_t handle) {
  for (std::size_t i = places.start(handle);; i = (i + 1) & places.mask) {
    // SYNC value-before-handle (pairs with HandleTable::put)
    const std::uintptr_t there = places[i].handle.load(std::memory_order_acquire);
    if (there == kFree) return nullptr;
    if (there == handle) return places[i].value.load(std::memory_order_acquire);
  }
}

void HandleTable::insert(std::uintptr_t handle, const void *value) {
  const core::Lock lock(mutex_);
  Places *places = places_.load(std::memory_order_relaxed);
  if (places) {
    const std::size_t there = places->search(handle);
    if (places->at(there) == handle) return (*places)[there].value.store(value, std::memory_order_release);
  }
  if (!places || 2 * (places->used + 1) > places->size()) places = &grow();
  put(*places, handle, value);
}

/// Places that were erased are free again where nothing follows that was placed past them.
void HandleTable::erase(std::uintptr_t handle, const void *value) {
  const core::Lock lock(mutex_);
  if (!places_.load(std::memory_order_relaxed)) return;
  Places &places = *places_.load(std::memory_order_relaxed);
  std::size_t i = places.search(handle);
  if (places.at(i) == kFree || (value && places[i].value.load(std::memory_order_relaxed) != value)) return;
  // A place that is free or erased has no value: handles 0 and 1, which programs may pass, are not found there.
  places[i].value.store(nullptr, std::memory_order_relaxed);
  places[i].handle.store(kErased, std::memory_order_release);
  if (places.at((i + 1) & places.mask) != kFree) return;
  for (; places.at(i) == kErased; i = (i - 1) & places.mask) {
    places[i].handle.store(kFree, std::memory_order_release);
    --places.used;
  }
}

void HandleTable::put(Places &places, std::uintptr_t handle, const void *value) {
  std::size_t i = places.start(handle);
  while (places.at(i) > kErased) i = (i + 1) & places.mask;
  if (places.at(i) == kFree) ++places.used;
  places[i].value.store(value, std::memory_order_relaxed);
  // SYNC value-before-handle (pairs with HandleTable::find): a thread that sees the handle sees what it stands for.
  places[i].handle.store(handle, std::memory_order_release);
}

HandleTable::Places *HandleTable::make(int bits, const Places *smaller) {
  const std::size_t count = std::size_t{1} << bits;
  auto *const made = new (::operator new(sizeof(Places) + count * sizeof(Place))) Places(count, 64 - bits, smaller);
  for (std::size_t i = 0; i < count; ++i) new (&(*made)[i]) Place;
  return made;
}

/// Handles that were erased stay behind. As large again only where more than a quarter of the places is in use.
HandleTable::Places &HandleTable::grow() {
  const Places *const before = places_.load(std::memory_order_relaxed);
  std::size_t live = 0;
  if (before)
    for (std::size_t i = 0; i < before->size(); ++i) live += before->at(i) > kErased ? 1u : 0u;
  const int bits = !before ? kFirstBits : 64 - before->shift + (4 * live > before->size() ? 1 : 0);
  Places *const larger = make(bits, before);
  for (std::size_t i = 0; before && i < before->size(); ++i)
    if (before->at(i) > kErased) put(*larger, before->at(i), (*before)[i].value.load(std::memory_order_relaxed));
  places_.store(larger, std::memory_order_release);
  return *larger;
}

}  // namespace halocline::mpi
