// Walks over the steps of one datatype, or over those of several side by side. Regular parts are one strip, so that a loop copies them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/elements/steps.hpp"

namespace halocline::core::elements {

/// Yields the strips of `count` elements of a datatype, in the order of the type map.
class Cursor {
 public:
  Cursor(const Steps &steps, std::int64_t count);
  Cursor(const Cursor &) = delete;
  Cursor &operator=(const Cursor &) = delete;

  /// False at the end.
  bool next(Strip &strip);

 private:
  /// A loop that is being done: its body, and what is left of it.
  struct Frame {
    const Step *next, *end, *first;
    std::int64_t base, left, stride;
  };
  static constexpr int kFrames = 10;

  bool start_single(const Steps &steps, std::int64_t count);
  void push(const Step *first, const Step *end, const Strip &loop);

  const Step *all_;
  Frame *frames_;
  int depth_ = 0;
  Strip single_{0, 0, 0, 0};       // if all is one strip
  Frame few_[kFrames];             // not initialised
  std::unique_ptr<Frame[]> many_;  // for deeper ones
};

/// `count` runs of `bytes` bytes at the same time on N sides: run i is at offset + i * stride.
template <std::size_t N>
struct Part {
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  std::array<std::int64_t, N> offset{};
  std::array<std::int64_t, N> stride{};
};

/// One side of a walk: the strip that is being taken, perhaps cut, and what follows it.
class Side {
 public:
  Side(const Steps &steps, std::int64_t count) : cursor_(steps, count) {}

  /// False if nothing is left.
  bool fill();
  std::int64_t bytes() const { return now_.bytes; }
  std::int64_t offset() const { return now_.offset; }
  /// How many pieces of that many bytes are at a regular distance; at least 1, as bytes <= bytes().
  std::int64_t pieces(std::int64_t bytes) const { return bytes == now_.bytes ? now_.count : now_.bytes / bytes; }
  std::int64_t stride(std::int64_t bytes) const { return bytes == now_.bytes ? now_.stride : bytes; }
  void take(std::int64_t bytes, std::int64_t pieces);

 private:
  Cursor cursor_;
  Strip now_{0, 0, 0, 0};
  Strip later_{0, 0, 0, 0};
};

/// Takes the next part of what the sides have in common. False once the shortest one has ended.
template <std::size_t N>
bool next_part(std::array<Side, N> &sides, Part<N> &part) {
  for (Side &side : sides)
    if (!side.fill()) return false;
  part.bytes = sides[0].bytes();
  for (const Side &side : sides) part.bytes = std::min(part.bytes, side.bytes());
  part.count = sides[0].pieces(part.bytes);
  for (const Side &side : sides) part.count = std::min(part.count, side.pieces(part.bytes));
  for (std::size_t i = 0; i < N; ++i) {
    part.offset[i] = sides[i].offset();
    part.stride[i] = sides[i].stride(part.bytes);
    sides[i].take(part.bytes, part.count);
  }
  return true;
}

/// Calls work(const Part<N> &) for all that the sides have in common.
template <std::size_t N, class Work>
void walk(std::array<Side, N> &sides, Work work) {
  for (Part<N> part; next_part(sides, part);) work(part);
}

/// Takes the next `bytes` bytes of a side, which has as many, and calls work(strip) for them.
template <class Work>
void take_strips(Side &side, std::int64_t bytes, Work work) {
  while (bytes > 0 && side.fill()) {
    const std::int64_t run = std::min(side.bytes(), bytes), count = std::min(side.pieces(run), bytes / run);
    const Strip strip{side.offset(), run, count, side.stride(run)};
    side.take(run, count);
    bytes -= run * count;
    work(strip);
  }
}

}  // namespace halocline::core::elements
