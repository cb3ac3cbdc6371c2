// The memory of a window, of all its ranks: what is mapped here, what only the kernel can copy, what is on other nodes. The words by which
// ranks synchronise.
// All uses of the engine's memory by this face are here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "base/counter.hpp"
#include "base/rounds.hpp"
#include "engine/memory/node_memory.hpp"
#include "faces/mpi/interpose/alloc_mem.hpp"
#include "faces/mpi/sync/mcs_queue.hpp"
#include "faces/mpi/sync/pscw_words.hpp"
#include "faces/mpi/window/comm_context.hpp"
#include "faces/mpi/window/spare_parts.hpp"

namespace halocline::core {
class ExposedMemory;
}

namespace halocline::core::mpi {

/// The memory of a rank in a window, as its call specifies it.
struct MemorySpec {
  enum class Kind { allocated, allocated_in_a_row, user_memory, dynamic };

  Kind kind;
  void *base;  // of user-provided memory
  std::int64_t bytes;
  std::int64_t unit;  // of displacements
};

/// The memory of one rank, as this rank reaches it. In dynamic windows displacements are addresses, and both of these are 0.
struct Place {
  char *mapped = nullptr;     // here
  std::uint64_t address = 0;  // at its owner
  std::int64_t bytes = 0;
  std::int64_t unit = 1;
  bool is_mapped = false;  // else only the kernel can copy it, or the network
  bool is_far = false;  // on another node
};

/// What all ranks of a window give alike; `unit` is 0 if they differ. `begin`: rank 0's memory, if it is mapped and that of the others follows
/// at equal distances.
struct AlikeMemory {
  std::int64_t bytes = 0, unit = 0;
  char *begin = nullptr;
  std::int64_t stride = 0;
};

/// What the ranks of a window contribute to the first meeting of the call that creates it. Reduced by MPI_MIN it says what all of them may rely on.
struct CommonMemory {
  enum {
    bytes,
    minus_bytes,
    unit,
    minus_unit,
    numbers,
    minus_numbers = numbers + SpareParts::kSlots,
    count = minus_numbers + SpareParts::kSlots
  };
  std::int64_t of[count];

  static CommonMemory of_one(const MemorySpec &mine) { return {{mine.bytes, -mine.bytes, mine.unit, -mine.unit}}; }
  AlikeMemory alike() const {
    const bool same = of[bytes] == -of[minus_bytes] && of[unit] == -of[minus_unit];
    return same ? AlikeMemory{of[bytes], of[unit]} : AlikeMemory{};
  }
  /// Whether all ranks have kept the same parts here, with room for what each of them wants.
  bool has_spare(std::size_t slot) const { return of[numbers + slot] > 0 && of[numbers + slot] == -of[minus_numbers + slot]; }
};

/// A lock of two sides, which keep each other out: group_lock.hpp.
struct TwoSidedLock {
  std::atomic<std::uint64_t> word;
};

/// The words of a rank by which others synchronise with it, in shared memory.
///
/// - lock: of this rank. Side 0 are shared locks, side 1 an exclusive one.
/// - last_writer: of the queue for that (mcs_queue.hpp), the last place.
/// - all: of the window; only rank 0's is used. Side 0 are ranks that lock all, side 1 exclusive locks of any rank. On one node,
///   those that have retreated and do not have their target yet.
/// - accumulates: the lock of accumulates that no instruction does, 0 or 1.
/// - numbers: the lock of user-provided memory, which its owner changes for other nodes (NodeLock).
/// - user_memory: written once by its rank; lost: 1 once a neighbour has reported a failed rank.
struct TargetWords {
  alignas(kLinePair) TwoSidedLock lock;
  std::atomic<std::uint64_t> last_writer;
  alignas(kLinePair) TwoSidedLock all;
  alignas(kLinePair) std::atomic<std::uint64_t> accumulates;
  std::atomic<std::uint32_t> accumulates_waiting, numbers;
  alignas(kLinePair) std::uint64_t base;
  std::int64_t bytes, unit;
  SharedPlace shared;
  std::atomic<std::uint64_t> lost;
};

/// Where the counter of a round, and PostWords, begin among a rank's words.
constexpr std::int64_t round_offset(int round) {
  return static_cast<std::int64_t>(sizeof(TargetWords)) + round * static_cast<std::int64_t>(sizeof(Counter));
}
constexpr std::int64_t posts_offset(int ranks) { return round_offset(doubling_rounds(ranks)); }
/// Where QueuePlaces begin, behind PostWords, and where they end.
constexpr std::int64_t queue_offset(int ranks, bool has_post_bits) {
  const auto line = static_cast<std::int64_t>(kLinePair);
  return posts_offset(ranks) + (post_bytes(ranks, has_post_bits) + line - 1) / line * line;
}
constexpr std::int64_t queue_end(int ranks, bool has_post_bits) {
  return queue_offset(ranks, has_post_bits) + static_cast<std::int64_t>(sizeof(QueuePlaces));
}

/// How accumulates change elements of at most 8 bytes. locked: under the target's lock of accumulates, in windows of one node and in dynamic
/// ones. by_atomics: by atomic instructions, also of the engine for other nodes. by_owner: for other nodes by the engine at the owner of
/// user-provided memory, under TargetWords::numbers; ranks of its node hold both locks.
enum class Numbers { locked, by_atomics, by_owner };

/// Memory of a rank of another node, in which the window's begins at `begin`.
struct FarMemory {
  RemoteMemory memory;
  std::int64_t begin;
};

/// Consecutive bytes here, and at a rank whose memory is not mapped.
struct Piece {
  char *local;
  std::uint64_t remote;
  std::size_t bytes;
};

class WindowMemory {
 public:
  explicit WindowMemory(CommContext &comm);
  ~WindowMemory();
  WindowMemory(const WindowMemory &) = delete;
  WindowMemory &operator=(const WindowMemory &) = delete;

  /// What this rank contributes to the first meeting. It is also written into the kept parts that are large enough. Local.
  CommonMemory offer(const MemorySpec &mine);
  /// Takes parts that all ranks have kept, or makes new ones, into which each rank writes its description. `number`: of the window. Collective,
  /// the same status on all ranks.
  Status open(const MemorySpec &mine, const CommonMemory &common, std::int64_t number);
  /// Finds the memory of all ranks. Collective, the same status on all ranks.
  Status find_places(const MemorySpec &mine);
  /// All ranks have stopped using the window. When it goes, its parts are kept for another one.
  void keep_parts() { keeps_parts_ = true; }

  /// The memory of a rank. Where all ranks have as much, and all of it is mapped, that needs no look at their words.
  Place at(int rank) const {
    if (alike_.begin) return {alike_.begin + rank * alike_.stride, 0, alike_.bytes, alike_.unit, true, false};
    return parts_.segment || listed_.empty() ? place_of(rank) : listed_[static_cast<std::size_t>(rank)];
  }
  /// Where some bytes of a rank are, in memory that all ranks have alike and mapped; null if it is not, or they are outside.
  [[gnu::always_inline]] char *find_alike(int rank, std::int64_t displacement, std::int64_t bytes) const {
    std::int64_t offset = 0;
    if (!alike_.begin || __builtin_mul_overflow(displacement, alike_.unit, &offset)) return nullptr;
    return offset >= 0 && offset <= alike_.bytes - bytes ? alike_.begin + rank * alike_.stride + offset : nullptr;
  }
  /// The words of a rank of this node.
  TargetWords &words(int rank) const { return *reinterpret_cast<TargetWords *>(part(rank)); }
  /// The same in a window of one node.
  [[gnu::always_inline]] TargetWords &words_on_node(int rank) const { return *reinterpret_cast<TargetWords *>(parts_.region.part(rank)); }
  Counter &round(int rank, int round) const { return reinterpret_cast<Counter *>(part(rank) + sizeof(TargetWords))[round]; }
  PostWords &posts(int rank) const { return *reinterpret_cast<PostWords *>(part(rank) + posts_offset(comm_.context.size())); }
  /// A word of a rank of this node, at an offset from the begin of its words.
  std::atomic<std::uint64_t> *word_here(int rank, std::int64_t offset) const {
    return reinterpret_cast<std::atomic<std::uint64_t> *>(part(rank) + offset);
  }

  /// Windows of several nodes: the words of any rank, for the engine's operations. TargetWords are at offset 0.
  RemoteMemory control(int rank) const { return parts_.segment->memory_of(rank); }
  /// The memory of a rank of another node.
  FarMemory far(int rank) const {
    if (numbers_ == Numbers::by_atomics) return {parts_.segment->memory_of(rank), parts_.data};
    return {RemoteMemory(comm_.context.network(), rank, parts_.far.of(rank).user_memory, 0), 0};
  }
  Numbers numbers() const { return numbers_; }
  /// What follows the words of a rank of this node, and its offset in the control words.
  char *data_of(int rank) const { return part(rank) + parts_.data; }
  std::int64_t data_offset() const { return parts_.data; }
  /// The engine's segment of these words; null if the window is of one node.
  Segment *segment() const { return parts_.segment.get(); }

  /// Why ranks cannot be given this memory; null if they can. The same on all ranks.
  const char *obstacle() const { return obstacle_; }

  enum class Direction { read, write };
  /// Copies memory of another rank that is not mapped. An errno, or 0.
  int copy(Direction direction, int rank, const std::vector<Piece> &pieces) const;

 private:
  [[gnu::always_inline]] char *part(int rank) const {
    if (!parts_.segment) return parts_.region.part(rank);
    const RemoteMemory *usual = parts_.segment->find_usual(rank);
    return usual ? usual->data() : parts_.segment->memory_of(rank).data();
  }
  void give_back();
  Status make(const MemorySpec &mine, std::int64_t number);
  Status share_places(const MemorySpec &mine, Status ready);
  void find_row();
  Place place_of(int rank) const;
  void list_user_memory(const MemorySpec &mine);
  Status find_obstacle();

  CommContext &comm_;
  WindowParts parts_;
  SpareParts::Slots offered_;
  bool keeps_parts_ = false;
  std::unique_ptr<ExposedMemory> exposed_;  // user-provided memory, to other nodes
  Numbers numbers_ = Numbers::locked;
  MemorySpec::Kind kind_ = MemorySpec::Kind::dynamic;
  AlikeMemory alike_;
  std::vector<Place> listed_;  // by member: user-provided memory of the ranks of this node, or that is in a row of unequal parts
  std::vector<SharedMemory> mapped_;  // of others' MPI_Alloc_mem
  const char *obstacle_ = nullptr;
};

}  // namespace halocline::core::mpi
