// First fit by address. Blocks begin and end at multiples of a cache line, so that no two share one.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/heap.hpp"

#include <algorithm>
#include <iterator>

#include "base/atomics.hpp"

namespace halocline::core::shmem {

void Heap::reset(std::int64_t bytes, std::int64_t most, std::int64_t phase) {
  bytes_ = bytes;
  most_ = most;
  phase_ = phase;
  taken_.clear();
  free_.clear();
  if (bytes > 0) free_.emplace(0, bytes);
}

std::int64_t Heap::take(std::int64_t bytes, std::int64_t alignment) {
  if (bytes > bytes_ || alignment > most_) return kNone;
  const std::int64_t room = std::min(round_up(bytes, kAlignment), bytes_), step = std::max(alignment, kAlignment);
  for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
    const std::int64_t begin = round_up(piece->first + phase_, step) - phase_;
    // The last block may end where the heap ends.
    const std::int64_t end = std::min(begin + room, piece->second);
    if (begin > piece->second || end - begin < bytes) continue;
    take_free(piece, begin, end);
    taken_.emplace(begin, Block{bytes, end});
    return begin;
  }
  return kNone;
}

/// Takes a range out of a free piece.
void Heap::take_free(std::map<std::int64_t, std::int64_t>::iterator piece, std::int64_t begin, std::int64_t end) {
  const auto [first, last] = *piece;
  free_.erase(piece);
  if (first < begin) free_.emplace(first, begin);
  if (end < last) free_.emplace(end, last);
}

/// Joins a range with the free pieces beside it.
void Heap::add_free(std::int64_t begin, std::int64_t end) {
  if (begin == end) return;
  auto next = free_.lower_bound(begin);
  if (next != free_.end() && next->first == end) {
    end = next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin() && std::prev(next)->second == begin)
    std::prev(next)->second = end;
  else
    free_.emplace(begin, end);
}

bool Heap::release(std::int64_t offset) {
  const auto block = taken_.find(offset);
  if (block == taken_.end()) return false;
  add_free(block->first, block->second.end);
  taken_.erase(block);
  return true;
}

bool Heap::resize(std::int64_t offset, std::int64_t bytes) {
  const auto block = taken_.find(offset);
  if (block == taken_.end() || bytes > bytes_ - offset) return false;
  const std::int64_t end = std::min(round_up(offset + bytes, kAlignment), bytes_);
  if (end > block->second.end) {
    const auto behind = free_.find(block->second.end);
    if (behind == free_.end() || behind->second < end) return false;
    take_free(behind, block->second.end, end);
  } else {
    add_free(end, block->second.end);
  }
  block->second = {bytes, end};
  return true;
}

std::int64_t Heap::bytes_of(std::int64_t offset) const {
  const auto block = taken_.find(offset);
  return block == taken_.end() ? kNone : block->second.asked;
}

std::int64_t Heap::taken_bytes() const {
  std::int64_t sum = 0;
  for (const auto &[begin, block] : taken_) sum += block.end - begin;
  return sum;
}

}  // namespace halocline::core::shmem
