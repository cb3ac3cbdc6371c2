// The memory that ranks have attached to a dynamic window: whether bytes are in it, and where those of other nodes are reached.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "faces/mpi/window/region_list.hpp"
#include "faces/mpi/window/window_memory.hpp"

namespace halocline::core::mpi {

/// The list of a rank of another node, as it was read last.
struct FarRegions {
  std::uint64_t version = 1;  // of no list
  std::vector<FarRegion> all;
};

/// Any thread may call.
class Attached {
 public:
  Attached(CommContext &comm, const WindowMemory &memory) : comm_(comm), memory_(memory) {}
  Attached(const Attached &) = delete;
  Attached &operator=(const Attached &) = delete;

  /// Adds memory of this rank, and takes it away again: false if it is not there.
  Status attach(void *base, std::int64_t bytes);
  bool detach(const void *base);
  /// Reads what a rank of another node has attached, if that has changed.
  Status read(int rank) const;
  /// Whether a rank has attached these bytes; one of another node: as read() has seen it last.
  bool has(int rank, std::uint64_t begin, std::int64_t bytes) const;
  /// What a rank of another node has attached, as read() has seen it last.
  std::shared_ptr<const FarRegions> far(int rank) const;

 private:
  AttachedRegions &regions(int rank) const { return *reinterpret_cast<AttachedRegions *>(memory_.data_of(rank)); }
  FarAttachedRegions &mine_for_others() const { return *reinterpret_cast<FarAttachedRegions *>(memory_.data_of(comm_.context.rank())); }
  Status check_apart(const void *base, std::int64_t bytes) const;
  Status add(void *base, std::int64_t bytes);
  bool take_away(const void *base);
  Status enter(std::uint32_t at, void *base, std::int64_t bytes);
  Status enter_beyond(void *base, std::int64_t bytes);
  Status grow();
  bool leave_beyond(const void *base);
  void count_change();
  Status read_list(int rank, FarRegions *regions) const;

  CommContext &comm_;
  const WindowMemory &memory_;
  std::mutex attaching_;
  std::map<std::uintptr_t, std::int64_t> bytes_;  // of what this rank has attached, by its first byte
  std::vector<const void *> empty_;  // attached without any bytes
  std::vector<const void *> more_;  // attached when the list was full
  std::map<std::size_t, RegisteredMemory> registered_;  // on several nodes, by slot; then by place in the overflow
  /// What did not fit. Tables that were too short stay, as other ranks may still read them.
  struct Overflow {
    std::vector<FarRegion> regions;
    RegisteredMemory registered;
  };
  std::vector<std::unique_ptr<Overflow>> overflows_;
  mutable std::mutex reading_;  // of what follows
  mutable std::map<int, std::shared_ptr<const FarRegions>> read_;  // by rank
};

}  // namespace halocline::core::mpi
