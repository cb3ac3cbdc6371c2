// What the machine does at most: an atomic instruction on the bucket of each key, whose cache line may be with another core.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mapped.hpp"
#include "variant.hpp"

namespace hashtable {

/// A table that is never filled. Only on one node.
class Limit {
 public:
  /// Collective, as `measure`.
  explicit Limit(const Setup &setup);

  /// Seconds of one compare_and_swap on the slowest rank, all ranks at the same time: one after the other, and with their lines requested
  /// `at_once` before.
  struct Sample {
    double alone_s = 0, fetched_s = 0;
  };
  Sample measure(const std::vector<Word> &keys) const;

 private:
  double seconds_of(const std::vector<Word> &keys, std::size_t ahead) const;
  /// As before a table's first insert: zeros, written by the owner.
  void clear() const;

  Shape shape_;
  std::size_t at_once_;
  halocline::Segment segment_;
  MappedMemory memory_;
};

}  // namespace hashtable
