// What is moved between whom in one epoch: every rank computes the whole plan, so that it knows what its own window must hold afterwards.
// A window consists of regions; in each one rank, at a fixed distance, writes (or reads) a list of pieces of all sizes and datatypes, with
// untouched bytes between them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "layout.hpp"
#include "pattern.hpp"

namespace doctor {

/// One transfer of a region: where it lies in the target's region and in the buffer of the origin, and as what.
struct Piece {
  const Base *base;
  int elements;
  Arrangement at_origin, at_target;
  Layout origin, target;
  std::size_t in_region = 0, in_buffer = 0;

  std::size_t bytes() const { return static_cast<std::size_t>(elements) * base->bytes; }
  std::string describe() const;
};

/// The pieces of a region, and the room that they need on each side.
struct Scheme {
  std::vector<Piece> pieces;
  std::size_t region_bytes = 0, buffer_bytes = 0;

  /// Puts a piece behind the others, `gap` bytes away.
  void add(const Base &base, int elements, Arrangement at_origin, Arrangement at_target, std::size_t gap);
};

/// Sizes from 1 byte to 16 KB at all alignments, and every pair of datatypes; or, for memory at odd addresses, bytes only.
Scheme make_full_scheme(bool bytes_only);
/// Some 100 KB, plain and strided.
Scheme make_big_scheme();
/// One piece that fills this many bytes, a multiple of 8.
Scheme make_whole_scheme(std::size_t bytes);
/// Bytes, half words and words that fill a small region together.
Scheme make_split_scheme(std::size_t bytes);

enum class Operation { put, get, accumulate, get_accumulate };
inline constexpr Operation kOperations[] = {Operation::put, Operation::get, Operation::accumulate, Operation::get_accumulate};
const char *name_of(Operation operation);
inline bool reads(Operation operation) { return operation == Operation::get || operation == Operation::get_accumulate; }

/// A region of every rank's window that is written, or read, by the rank at a distance: origin r has target r + distance.
struct Region {
  Operation operation;
  int distance;
  const Scheme *scheme;
  std::size_t in_window, in_buffer;
};

class Plan {
 public:
  Plan(int rank, int size) : rank_(rank), size_(size) {}
  void add(Operation operation, int distance, const Scheme &scheme);

  std::size_t window_bytes() const { return window_bytes_; }
  std::size_t buffer_bytes() const { return buffer_bytes_; }
  const std::vector<Region> &regions() const { return regions_; }
  int target(const Region &region) const { return (rank_ + region.distance) % size_; }
  int origin(const Region &region) const { return (rank_ + size_ - region.distance) % size_; }
  /// Each once.
  std::vector<int> targets() const;
  std::vector<int> origins() const;
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// The stream of a piece.
  Stream stream(const Region &region, std::size_t piece, int origin, int target, unsigned round) const;

 private:
  int rank_, size_;
  std::size_t window_bytes_ = 0, buffer_bytes_ = 0;
  std::vector<Region> regions_;
};

}  // namespace doctor
