// A table from handles of the MPI to pointers, which any thread reads without a lock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/mutex.hpp"

namespace halocline::mpi {

/// A handle's bits: an integer with some MPIs, a pointer with others.
template <class Handle>
std::uintptr_t handle_bits(Handle handle) {
  static_assert(sizeof handle <= sizeof(std::uintptr_t));
  std::uintptr_t bits = 0;
  std::memcpy(&bits, &handle, sizeof handle);
  return bits;
}

/// Open addressing. A handle that is in the table stays in its place, until a larger table replaces this one. The smaller ones are kept, as a
/// thread may still read there, and nothing is ever destroyed: a thread may look as late as the process ends. Handles are neither 0 nor 1.
class HandleTable {
 public:
  constexpr HandleTable() = default;
  HandleTable(const HandleTable &) = delete;
  HandleTable &operator=(const HandleTable &) = delete;

  /// Null if it is not there. Mostly it is in the first place that it may be in.
  const void *find(std::uintptr_t handle) const {
    const Places *const places = places_.load(std::memory_order_acquire);
    if (!places) return nullptr;
    const Place &likely = (*places)[places->start(handle)];
    // SYNC value-before-handle (pairs with HandleTable::put): the value belongs to the handle.
    if (likely.handle.load(std::memory_order_acquire) == handle) [[likely]]
      return likely.value.load(std::memory_order_acquire);
    return find_further(*places, handle);
  }

  /// Enters a handle, or gives it another value.
  void insert(std::uintptr_t handle, const void *value);
  /// Removes a handle that is there; if `value` is not null, only if it has that value.
  void erase(std::uintptr_t handle, const void *value = nullptr);

 private:
  static constexpr std::uintptr_t kFree = 0, kErased = 1;
  static constexpr int kFirstBits = 8;
  struct Place {
    std::atomic<std::uintptr_t> handle{kFree};
    std::atomic<const void *> value{nullptr};
  };
  /// The places follow it in memory, so that a search reads one address less.
  struct Places {
    Places(std::size_t count, int right, const Places *smaller) : mask(count - 1), shift(right), replaced(smaller) {}
    const Place &operator[](std::size_t i) const { return reinterpret_cast<const Place *>(this + 1)[i]; }
    Place &operator[](std::size_t i) { return reinterpret_cast<Place *>(this + 1)[i]; }
    std::size_t size() const { return mask + 1; }
    std::size_t start(std::uintptr_t handle) const { return (handle * std::uint64_t{0x9E3779B97F4A7C15}) >> shift; }
    std::uintptr_t at(std::size_t i) const { return (*this)[i].handle.load(std::memory_order_relaxed); }
    /// Where the handle is, or the free place that ends the search for it.
    std::size_t search(std::uintptr_t handle) const;
    std::size_t mask;
    int shift;
    const Places *replaced;
    std::size_t used = 0;  // places that are not free
  };
  static_assert(alignof(Place) <= alignof(Places));

  static Places *make(int bits, const Places *smaller);
  [[gnu::noinline]] static const void *find_further(const Places &places, std::uintptr_t handle);
  Places &grow() HLC_REQUIRES(mutex_);
  static void put(Places &places, std::uintptr_t handle, const void *value);

  core::Mutex mutex_;  // for changes
  std::atomic<Places *> places_{nullptr};
};

}  // namespace halocline::mpi
