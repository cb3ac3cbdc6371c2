// A hash table that all ranks of a context share: keys and values of 64 bits, distributed over their memory. This and walk are all that a
// program needs to use it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "drive.hpp"

#include <common/prefetch.hpp>
#include <halocline/halocline.hpp>

#include <optional>

namespace hashtable {

/// The words of all ranks in a segment, reached by the library's atomics.
class SegmentMemory {
 public:
  SegmentMemory(const halocline::Context &context, std::int64_t words);
  /// In line, or each access would be copied through memory and wait for that.
  [[gnu::always_inline]] Word carry_out(const Access &access) const {
    const halocline::At at = place_of(access);
    switch (access.kind) {
      case Access::Kind::read: return segment_.fetch_op(at, halocline::Op::read, access.value);
      case Access::Kind::write: return segment_.fetch_op(at, halocline::Op::replace, access.value);
      case Access::Kind::add: return segment_.fetch_op(at, halocline::Op::sum, access.value);
      case Access::Kind::compare_swap: break;
    }
    return segment_.compare_swap(at, access.expected, access.value);
  }
  /// On other nodes all of them are under way at the same time.
  void carry_out(std::span<const Access> accesses, std::span<Word> answers);
  /// Those on one rank of another node share a message.
  static bool looks_ahead() { return true; }
  const halocline::Segment &segment() const { return segment_; }
  /// True if all words are mapped in this process: all ranks are on one node.
  bool is_near() const { return !parts_.empty(); }
  /// Request the cache line of a word, that will be changed or read. Only where is_near().
  void fetch_to_change(int rank, std::int64_t word) const { common::fetch_to_write(parts_[static_cast<std::size_t>(rank)] + word); }
  void fetch_to_read(int rank, std::int64_t word) const { common::fetch_to_read(parts_[static_cast<std::size_t>(rank)] + word); }

  static constexpr std::int64_t kWordBytes = sizeof(Word);
  static halocline::At place_of(const Access &access) { return {access.rank, access.word * kWordBytes}; }

 private:
  halocline::Segment segment_;
  std::vector<const Word *> parts_;  // of all ranks, if all are on this node
  std::vector<hlc_atomic> list_;
};

/// Any rank inserts, finds and erases any key, at any time, without the help of its owner on the same node. Each call is one step with
/// respect to all others on that key. Ranks on other nodes carry out accesses to their part while they call the library, as segment.h says.
/// So end a phase by barrier(), not by MPI_Barrier. A table does not grow. One thread of a rank at a time.
class HashTable {
 public:
  /// Cells of each rank: so many buckets, 1 or more, and so many for the keys that find their bucket taken. The same on all ranks. Collective,
  /// as clear and the destructor. Throws std::invalid_argument.
  HashTable(const halocline::Context &context, std::int64_t buckets, std::int64_t heap);

  /// Stores a value unless the key is there; true if it has. Throws std::invalid_argument for key 0 and for a value above kLargestValue.
  /// Throws halocline::Error if a rank cannot be reached. Throws std::length_error if the heap of the key's owner has no cell left that this
  /// rank may take. Ranks take kTaken at a time, as far as there are so many.
  bool insert(Word key, Word value);
  std::optional<Word> find(Word key);
  /// Removes a key; true if this call has. Its cell stays, for the same key.
  bool erase(Word key);
  /// Carries out many requests, up to `at_once` at the same time. There is no order among them. If one
  /// of them throws, others may have been carried out or not, and cells of some may be lost.
  void carry_out(std::span<Request> requests, std::size_t at_once);

  /// Returns when all ranks have called it: what they did before is done.
  void barrier() const { memory_.segment().barrier(); }
  /// Forgets all keys.
  void clear();
  const Shape &shape() const { return place_.shape; }
  /// This rank's words, to be read after a barrier.
  std::span<const Word> part() const;

 private:
  Request carry_out(Request::What what, Word key, Word value);

  Place place_;
  SegmentMemory memory_;
};

}  // namespace hashtable
