// A table from handles of the MPI to pointers, which any thread reads without a lock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

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

  /// Null if it is not there.
  const void *find(std::uintptr_t handle) const {
    const Places *const places = places_.load(std::memory_order_acquire);
    if (!places) return nullptr;
    for (std::size_t i = places->start(handle);; i = (i + 1) & places->mask) {
      // SYNC value-before-handle (pairs with HandleTable::put): the value belongs to the handle.
      const std::uintptr_t there = places->all[i].handle.load(std::memory_order_acquire);
      if (there == handle) return places->all[i].value.load(std::memory_order_acquire);
      if (there == kFree) return nullptr;
    }
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
  struct Places {
    Places(int bits, const Places *smaller) : all(std::size_t{1} << bits), mask(all.size() - 1), shift(64 - bits), replaced(smaller) {}
    std::size_t start(std::uintptr_t handle) const { return (handle * std::uint64_t{0x9E3779B97F4A7C15}) >> shift; }
    std::uintptr_t at(std::size_t i) const { return all[i].handle.load(std::memory_order_relaxed); }
    /// Where the handle is, or the free place that ends the search for it.
    std::size_t search(std::uintptr_t handle) const;
    std::vector<Place> all;
    std::size_t mask;
    int shift;
    const Places *replaced;
    std::size_t used = 0;  // places that are not free
  };

  Places &grow();
  static void put(Places &places, std::uintptr_t handle, const void *value);

  std::mutex mutex_;  // for changes
  std::atomic<Places *> places_{nullptr};
};

}  // namespace halocline::mpi
