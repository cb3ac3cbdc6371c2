// Moving a box of cells: strided to contiguous, contiguous to strided, strided to strided, and the same with addition. A BoxCopy is
// planned once; copy() and add() are the leaves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.hpp"

namespace halocline::core {

inline constexpr int kMaxDims = HLC_MAX_DIMS;
using Cells = std::array<std::int64_t, kMaxDims>;

/// Cells [start, start + count) of an array in each dimension; unused dimensions have count 1.
struct Box {
  Cells start{}, count{1, 1, 1, 1};
  std::int64_t cells() const { return count[0] * count[1] * count[2] * count[3]; }
};

/// Bytes between neighbouring cells in each dimension.
using Strides = std::array<std::int64_t, kMaxDims>;

/// The loops over a box: runs of bytes that are contiguous on both sides, in up to four nested counts.
struct BoxCopy {
  std::int64_t run = 0;                     // bytes moved at once, 0: nothing to do
  std::array<std::int64_t, 4> count{1, 1, 1, 1};   // innermost first
  std::array<std::int64_t, 4> to{}, from{};        // bytes from one turn of a loop to the next
};

/// A planned copy between two places, with what most copies need in one cache line: runs of equal length at equal distances.
struct BoundCopy {
  char *to = nullptr;
  const char *from = nullptr;  // the one of the two that is in a message is NULL
  std::int64_t in_message = 0;  // and begins at this offset in the message
  std::int64_t run = 0, runs = 0, to_step = 0, from_step = 0;
  const BoxCopy *box = nullptr;  // not null: it has further loops, or runs so short that they have a kernel of their own
};
static_assert(sizeof(BoundCopy) <= 64);

/// Binds a planned copy to its places; the plan must stay where it is.
BoundCopy bind_copy(char *to, const char *from, const BoxCopy &box);
/// Binds one whose target, or source, is a place in a message.
BoundCopy bind_to_message(std::int64_t place, const char *from, const BoxCopy &box);
BoundCopy bind_from_message(char *to, std::int64_t place, const BoxCopy &box);
/// Does several, one after the other. No two sides may overlap.
void run_copies(std::span<const BoundCopy> copies);
/// The same into a message, past this core's caches if so asked (see copy_past_caches), and out of a message.
/// Whether that is faster NotifyChannel::choose_packing (exchange/modes/notify.cpp) finds out when the plan is made.
void pack_copies(std::span<const BoundCopy> copies, char *message, bool past_caches);
void unpack_copies(std::span<const BoundCopy> copies, const char *message);

/// Bound copies in groups, contiguous and in the order in which they are done. Once there is room, nothing allocates.
class CopyTable {
 public:
  void reserve(std::size_t groups, std::size_t copies) {
    first_.reserve(groups);
    copies_.reserve(copies);
  }
  void clear() {
    first_.clear();
    copies_.clear();
  }
  void begin_group() { first_.push_back(copies_.size()); }
  void add(const BoundCopy &copy) { copies_.push_back(copy); }

  /// The copies of groups [first, end), and of all from `first` on.
  std::span<BoundCopy> groups(std::size_t first, std::size_t end) {
    return {copies_.data() + begin_of(first), begin_of(end) - begin_of(first)};
  }
  std::span<BoundCopy> groups_from(std::size_t first) { return groups(first, first_.size()); }
  /// Does the copies of these groups. Those of consecutive numbers are one run of the table.
  void run(std::span<const int> groups);
  std::int64_t memory_bytes() const {
    return static_cast<std::int64_t>(first_.capacity() * sizeof(std::size_t) + copies_.capacity() * sizeof(BoundCopy));
  }

 private:
  std::size_t begin_of(std::size_t group) const { return group < first_.size() ? first_[group] : copies_.size(); }

  std::vector<std::size_t> first_;  // per group
  std::vector<BoundCopy> copies_;
};

/// Plans the copy of count cells from memory with one set of strides to memory with another. order lists the dimensions, innermost first.
BoxCopy plan_copy(const Cells &count, const Strides &to, const Strides &from, std::int64_t element, const std::array<int, kMaxDims> &order);

/// The strides of count cells packed without gaps, in the given order of dimensions.
Strides packed_strides(const Cells &count, std::int64_t element, const std::array<int, kMaxDims> &order);

/// Does a planned copy. The two sides must not overlap.
void copy(char *to, const char *from, const BoxCopy &box);
/// As copy, but `to` is written past this core's caches, for data that another core reads next. The caller orders
/// it with stream_fence.
void copy_past_caches(char *to, const char *from, const BoxCopy &box);
/// As copy, but adds each element of the given type; the type must not be HLC_OPAQUE.
void add(char *to, const char *from, const BoxCopy &box, hlc_type type);
/// Sets the bytes of the `to` side to zero.
void clear(char *to, const BoxCopy &box);

}  // namespace halocline::core
