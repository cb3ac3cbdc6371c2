// The table in memory, and what each operation does there, word by word. It does not say how words are reached: a Walk asks for one access
// after the other, and the variants carry these out.
//
//   a part: | heap cells in use, 15 words unused | buckets | heap |      a cell: | key | value + 1 | next cell | unused |
//
// All begins with zeros. A key belongs to one bucket of one rank, its owner. The bucket is the first cell of a chain, further ones are in the
// owner's heap. Cells are only appended, at the end of a chain, by a compare_and_swap of the last cell's `next`. So no key is in a chain
// twice. A new cell has its key and value before it is linked. The key of a cell never changes once others can see it. A value of 0 says that
// the key is absent: it has not been stored yet, or it has been erased (a tombstone). A rank takes kTaken cells of a heap at a time. Those
// that it has not used yet are its spares, and so are those that lost the race for the end of a chain. The next keys that need a cell get
// them.
//
// Source: Gerstenberger, Besta, Hoefler, SC13, section 4.1: table, overflow heap, compare_and_swap, fetch_and_op.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hashtable {

using Word = std::uint64_t;

/// The largest value. Keys are any but 0.
constexpr Word kLargestValue = UINT64_MAX - 1;

/// Cells of each rank.
struct Shape {
  int ranks = 1;
  std::int64_t buckets = 0, heap = 0;
};

constexpr std::int64_t kHeaderWords = 16, kCellWords = 4;
/// Cells that a rank takes of a heap at a time. They are four cache lines, so ranks seldom write to the same line.
constexpr std::int64_t kTaken = 8;
enum Field : std::int64_t { kKey = 0, kValue = 1, kNext = 2 };

inline std::int64_t words_of(const Shape &shape) { return kHeaderWords + (shape.buckets + shape.heap) * kCellWords; }
/// The word of a rank's part. Cells are numbered from 1: the buckets, then the heap. So 0 is no cell.
inline std::int64_t word_of(std::int64_t cell, Field field) { return kHeaderWords + (cell - 1) * kCellWords + field; }

/// Spreads keys that differ in few bits (the finaliser of splitmix64).
inline Word mixed(Word key) {
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
  return key ^ (key >> 31);
}

/// Where the chain of a key begins.
struct Home {
  int rank;
  std::int64_t cell;
};
/// The hash is a fraction of 1. Times the ranks, its whole part is the owner. What is left, times the buckets, is the bucket. Two divisions
/// would take as long as an atomic.
inline Home home_of(Word key, const Shape &shape) {
  __extension__ using Wide = unsigned __int128;
  const Wide place = static_cast<Wide>(mixed(key)) * static_cast<Word>(shape.ranks);
  const Wide bucket = static_cast<Wide>(static_cast<Word>(place)) * static_cast<Word>(shape.buckets);
  return {static_cast<int>(place >> 64), 1 + static_cast<std::int64_t>(bucket >> 64)};
}

/// An access to one word, in one step with respect to all others. All answer the previous content.
struct Access {
  enum class Kind { read, write, add, compare_swap };
  Kind kind = Kind::read;
  int rank = 0;
  std::int64_t word = 0;
  Word value = 0, expected = 0;

  bool operator==(const Access &) const = default;
};

/// An operation on a key, and its result.
struct Request {
  enum class What { insert, find, erase };
  What what = What::find;
  Word key = 0, value = 0;  ///< the value to insert; of a find that found something, the value found
  bool done = false;  ///< it was inserted, found, or erased; false: it was there already, or it was not there
};

/// Cells of heaps that this rank has taken and not used.
class Spares {
 public:
  explicit Spares(int ranks) : cells_(static_cast<std::size_t>(ranks)) {}
  /// A spare cell of a rank; 0 if there is none.
  std::int64_t take(int rank);
  /// The cell that was kept last is taken first.
  void keep(int rank, std::int64_t cell) { cells_[static_cast<std::size_t>(rank)].push_back(cell); }
  void clear();

 private:
  std::vector<std::vector<std::int64_t>> cells_;
};

/// One operation that walks through a chain; walk_steps.hpp has the steps. Throws std::invalid_argument for a key or value that no table has, std::length_error if the
/// heap of the key's owner is full.
class Walk {
 public:
  Walk(const Shape &shape, Spares &spares, Request &request);
  /// What is to be done first.
  Access begin();
  /// Takes the answer to the last access; returns the next one, nothing once the request has its result.
  std::optional<Access> go_on(Word answer);

  static constexpr std::size_t kMaxAhead = 2;
  /// Writes accesses that may follow the one asked for last, and returns how many. They may be carried out with it, in any order. What they
  /// write no other rank sees. What they read is the same in every order, or a link from this cell then fails and tells what is there. Or a
  /// key was stored while it was looked for, and counts as not stored yet.
  std::size_t look_ahead(Access *some) const;

 private:
  enum class At { bucket, key, next, allocation, new_key, new_value, link, value, erasure };

  std::optional<Access> ask(At at, const Access &access);
  Access look_at_key();
  Access read(Field field) const { return {Access::Kind::read, rank_, word_of(cell_, field), 0, 0}; }
  Access write(Field field, Word value) const { return {Access::Kind::write, rank_, word_of(new_cell_, field), value, 0}; }
  std::optional<Access> found();
  std::optional<Access> end(bool done);
  std::optional<Access> allocated(Word cells_before);
  std::optional<Access> fill(std::int64_t cell);
  std::optional<Access> compared(Word key);
  std::optional<Access> passed(Word next);
  std::optional<Access> linked(Word next);
  std::optional<Access> valued(Word value);
  std::optional<Access> erased(Word value);
  [[noreturn]] static void refuse(const Request &request);
  [[noreturn]] void refuse_more_cells() const;

  const Shape *shape_;
  Spares *spares_;
  Request *request_;
  int rank_;
  std::int64_t cell_, new_cell_ = 0;
  At at_ = At::bucket;
  Word last_value_ = 0;
};

}  // namespace hashtable
