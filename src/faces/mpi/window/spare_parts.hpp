// What all ranks of a window have made for it, and what is kept of windows that have ended. Making takes the ranks many meetings, and fresh
// pages. Taking what is kept needs no meeting but the first of a call (docs/design/034-mpi-rma.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/mutex.hpp"
#include "engine/memory/node_memory.hpp"
#include "engine/memory/rank_table.hpp"
#include "engine/rma/segment.hpp"

namespace halocline::core::mpi {

/// What ranks of other nodes need to know of a rank's memory. Plain bytes.
struct FarPlace {
  std::uint64_t base = 0;
  std::int64_t bytes = 0, unit = 1;
  RemoteDescriptor user_memory;
};

/// A part per rank: its words, then some bytes.
struct WindowParts {
  std::int64_t number = 0;  // among those of the CommContext, from 1 on, the same on all ranks; 0: there are none
  std::int64_t data = 0;  // where the bytes begin in a part
  std::int64_t bytes = 0;  // of this rank's
  SharedMemory region;  // of a window of one node
  std::unique_ptr<Segment> segment;  // of a window of several nodes, and the next
  RankTable<FarPlace> far;

  bool any() const { return number > 0; }
};

/// The parts of windows of a CommContext that have ended, for the next ones of the same ranks. Each rank decides alone what it keeps: only what all
/// have kept is taken. Any thread may call.
class SpareParts {
 public:
  /// Parts with more bytes are not kept: to fill them takes longer than the meetings.
  static constexpr std::int64_t kLargest = std::int64_t{4} << 20;
  /// The most that this process keeps, of all communicators.
  static constexpr std::int64_t kMaxOfProcess = std::int64_t{64} << 20;
  static constexpr std::size_t kSlots = 4;
  using Slots = std::array<WindowParts, kSlots>;

  SpareParts() = default;
  SpareParts(const SpareParts &) = delete;
  SpareParts &operator=(const SpareParts &) = delete;
  ~SpareParts() { clear(); }

  /// Takes parts that all ranks have stopped using, in place of older ones; or frees them, if they are too many. Local.
  void keep(WindowParts parts);
  Slots take_all();
  void clear() { take_all(); }

 private:
  Mutex mutex_;
  Slots slots_ HLC_GUARDED_BY(mutex_);
};

}  // namespace halocline::core::mpi
