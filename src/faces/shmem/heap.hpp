// The blocks of the symmetric heap, as offsets. All PEs make the same calls in the same order, and so get the same offsets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>

namespace halocline::core::shmem {

/// What is free and what is taken of a range of bytes. It touches none of them. One thread at a time.
class Heap {
 public:
  static constexpr std::int64_t kNone = -1, kAlignment = 64;

  /// All is free from now on. The range begins at an address that is `phase` beyond a multiple of each alignment up to `most`.
  void reset(std::int64_t bytes, std::int64_t most = kAlignment, std::int64_t phase = 0);

  /// Takes the first free place that is large enough and whose address is a multiple of an alignment, a power of 2. kNone if there is none, as
  /// for alignments larger than `most`. `bytes` > 0.
  std::int64_t take(std::int64_t bytes, std::int64_t alignment);
  /// Frees a block. False if there is none at this offset.
  bool release(std::int64_t offset);
  /// Makes a block shorter, or longer where the bytes behind it are free. False if it has to move.
  bool resize(std::int64_t offset, std::int64_t bytes);
  /// The bytes of the block at this offset, as asked for last; kNone if there is none.
  std::int64_t bytes_of(std::int64_t offset) const;
  std::int64_t bytes() const { return bytes_; }
  /// Bytes in blocks, and the number of these.
  std::int64_t taken_bytes() const;
  std::size_t blocks() const { return taken_.size(); }

 private:
  struct Block {
    std::int64_t asked, end;  // bytes asked for; where its room ends
  };

  void add_free(std::int64_t begin, std::int64_t end);
  void take_free(std::map<std::int64_t, std::int64_t>::iterator piece, std::int64_t begin, std::int64_t end);

  std::int64_t bytes_ = 0, most_ = kAlignment, phase_ = 0;
  std::map<std::int64_t, std::int64_t> free_;  // by begin, the end; no two touch
  std::map<std::int64_t, Block> taken_;  // by begin
};

}  // namespace halocline::core::shmem
