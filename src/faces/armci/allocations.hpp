// The memory of ARMCI_Malloc, and the search for the memory that an address means.
//
// An address of a process of this node is where this process sees that memory, as ARMCI_Malloc returns it, or else where its owner does. An
// address of a process of another node is its owner's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/rma/local_memory.hpp"

namespace halocline::core::armci {

/// What each process tells the others of its part of an allocation.
struct PartRecord {
  std::int64_t failed = 0;  // not 0: it could not make its part
  std::uint64_t number = 0;  // the least number that it has not given to an allocation
  std::uint64_t address = 0;  // where it sees its part
  std::int64_t bytes = 0;  // of the program
  MemoryDescriptor descriptor;
};

/// A range of addresses of a process, and the memory that it means.
struct Range {
  std::uint64_t begin = 0, bytes = 0;
  const RemoteMemory *memory = nullptr;
};

/// Where in a part's memory the word is that accumulates hold where there are several nodes: behind the program's bytes.
constexpr std::int64_t kLockBytes = 64;
inline std::int64_t lock_offset(const RemoteMemory &memory) { return memory.bytes() - kLockBytes; }

/// One allocation, as this process reaches it.
class Allocation {
 public:
  explicit Allocation(Network &network) : network_(network), mine_(network) {}

  /// Makes this process's part. Local.
  Status make(std::int64_t bytes);
  /// What the others need to know.
  PartRecord record() const;
  /// Opens the part of a process, which may be this one. Local.
  Status open(int proc, const PartRecord &record);
  /// Once all have opened it.
  void close_file() { mine_.close_file(); }

  std::uint64_t number = 0;  // the same on all that have made it
  int users = 1;  // of ARMCI_Memat

  /// A part; `seen` is where this process sees it, and `owners` where its owner does.
  struct Part {
    int proc;
    Range seen, owners;
    std::unique_ptr<OpenedMemory> memory;
  };
  const std::vector<std::unique_ptr<Part>> &parts() const { return parts_; }
  /// The address of the last opened part for this process, null if it has no bytes.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): ranges are compared as numbers
  void *address() const { return reinterpret_cast<void *>(parts_.back()->seen.begin); }

 private:
  Network &network_;
  std::int64_t bytes_ = 0;
  LocalMemory mine_;
  std::vector<std::unique_ptr<Part>> parts_;
};

/// Where bytes are: at an address of this process, or, where that is null, at an offset of memory of another node.
struct Place {
  char *here = nullptr;
  const RemoteMemory *memory = nullptr;
  std::int64_t offset = 0;
};

/// All allocations. Any thread may call.
class Allocations {
 public:
  Allocations() = default;
  Allocations(const Allocations &) = delete;
  Allocations &operator=(const Allocations &) = delete;

  void open(int procs) { tables_ = std::vector<Table>(static_cast<std::size_t>(procs)); }
  /// Frees all.
  void clear();

  /// Adds an allocation that all have opened, and returns it.
  Allocation &add(std::unique_ptr<Allocation> made);
  /// The allocation in which an address of a process is; null if there is none.
  Allocation *find(int proc, const void *address);
  /// The one that has only memory at that address of its owner; null if there is none.
  Allocation *find_single(int proc, const void *owners);
  /// Removes an allocation; the caller frees it.
  std::unique_ptr<Allocation> take(const Allocation *allocation);
  Allocation *with_number(std::uint64_t number);
  /// The least number that no allocation here has had.
  std::uint64_t next_number() const { return next_number_; }

  /// Finds the bytes [address + low, address + high) of a process. False if they are not within one allocation.
  bool locate(int proc, const void *address, Extent extent, Place *place) {
    Table &table = tables_[static_cast<std::size_t>(proc)];
    // SYNC range-before-last (pairs with search)
    const Range *last = table.last.load(std::memory_order_acquire);
    return (last && place_in(*last, address, extent, place)) || search(table, address, extent, place);
  }

  /// The same for bytes of an element, without a call: null unless locate would find them at once, mapped here.
  char *known_element(int proc, const void *address, std::uint64_t bytes) const {
    // SYNC range-before-last (pairs with search)
    const Range *last = tables_[static_cast<std::size_t>(proc)].last.load(std::memory_order_acquire);
    if (!last) return nullptr;
    const std::uint64_t offset = reinterpret_cast<std::uint64_t>(address) - last->begin;
    if (last->bytes < bytes || offset > last->bytes - bytes) return nullptr;
    char *const data = last->memory->data();
    return data ? data + offset : nullptr;
  }

 private:
  /// The ranges of a process, sorted by where they begin, and the one that was found last.
  struct Table {
    std::atomic<const Range *> last{nullptr};
    std::vector<const Range *> seen, owners;
  };

  static bool place_in(const Range &range, const void *address, Extent extent, Place *place) {
    const std::uint64_t offset = reinterpret_cast<std::uint64_t>(address) - range.begin;
    if (offset > range.bytes || extent.low < -static_cast<std::int64_t>(offset) ||
        extent.high > static_cast<std::int64_t>(range.bytes - offset))
      return false;
    char *const data = range.memory->data();
    *place = {data ? data + offset : nullptr, range.memory, static_cast<std::int64_t>(offset)};
    return true;
  }
  bool search(Table &table, const void *address, Extent extent, Place *place);

  std::mutex mutex_;  // of what follows, but for each table's `last`
  std::vector<Table> tables_;  // by process
  std::vector<std::unique_ptr<Allocation>> all_;
  std::uint64_t next_number_ = 1;
};

}  // namespace halocline::core::armci
