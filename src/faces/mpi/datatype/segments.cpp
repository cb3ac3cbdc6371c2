// Pieces of a layout: placed, repeated and joined.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/datatype/segments.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace halocline::mpi {
namespace {

bool is_run(const Step &step) { return step.end == 0 && step.strip.count == 1; }

bool same_body(const Step &a, const Step &b) { return a.first == b.first && a.end == b.end && a.strip.bytes == b.strip.bytes; }

/// Lengthens the run before, if this one begins where it ends.
bool extends(Step &before, const Step &step) {
  if (!is_run(before) || !is_run(step) || before.strip.offset + before.strip.bytes != step.strip.offset) return false;
  before.strip.bytes += step.strip.bytes;
  return true;
}

/// Counts one more of the same, if it has the right distance.
bool continues(Step &before, const Step &step) {
  if (!same_body(before, step) || step.strip.count != 1) return false;
  const std::int64_t distance = step.strip.offset - before.strip.offset;
  if (before.strip.count == 1) before.strip.stride = distance;
  if (distance != before.strip.count * before.strip.stride) return false;
  ++before.strip.count;
  return true;
}

/// Repeats a step without a loop around it, where the repetitions continue each other.
bool repeat_in_place(Step &step, std::int64_t count, std::int64_t stride) {
  Strip &strip = step.strip;
  if (is_run(step) && strip.bytes == stride) {
    strip.bytes *= count;
  } else if (strip.count == 1) {
    strip.count = count;
    strip.stride = stride;
  } else if (strip.count * strip.stride == stride) {
    strip.count *= count;
  } else {
    return false;
  }
  return true;
}

Basic common(Basic a, Basic b) {
  if (a == Basic::none || b == Basic::none) return a == Basic::none ? b : a;
  return a == b ? a : Basic::mixed;
}

Reach moved(const Reach &reach, std::int64_t distance) { return {reach.begin + distance, reach.end + distance}; }

Reach both(const Reach &a, const Reach &b) { return {std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

constexpr std::int64_t kTooMany = std::numeric_limits<std::int64_t>::max();

/// True if `count` pieces, `stride` bytes apart, are more bytes or reach farther than 64 bits can count.
bool is_too_long(const Piece &piece, std::int64_t count, std::int64_t stride) {
  std::int64_t result = 0, distance = 0;
  return __builtin_mul_overflow(piece.bytes, count, &result) || __builtin_mul_overflow(count - 1, stride, &distance) ||
         __builtin_add_overflow(piece.reach.begin, distance, &result) || __builtin_add_overflow(piece.reach.end, distance, &result);
}

/// Layout::can_count refuses larger sizes.
Piece too_long() {
  Piece piece;
  piece.bytes = piece.basics = kTooMany;
  return piece;
}

std::int64_t sum(std::int64_t a, std::int64_t b) { return a > kTooMany - b ? kTooMany : a + b; }

std::uint64_t bits_of(std::int64_t distance) { return static_cast<std::uint64_t>(distance); }

}  // namespace

Piece Pieces::repeat(const Piece &piece, std::int64_t count, std::int64_t stride) {
  if (count <= 0 || piece.bytes == 0) return {};
  if (is_too_long(piece, count, stride)) return too_long();
  Piece result = piece;
  if (count == 1) return result;
  result.bytes *= count;
  result.basics *= count;
  result.offset_bits |= bits_of(stride);
  result.reach = both(piece.reach, moved(piece.reach, (count - 1) * stride));
  if (result.steps.size() == 1 && repeat_in_place(result.steps.front(), count, stride)) return result;
  Step loop = body(piece.steps);
  loop.strip.count = count;
  loop.strip.stride = stride;
  result.steps = {loop};
  ++result.depth;
  return result;
}

Piece Pieces::shorten(Piece piece, std::size_t most) {
  if (piece.steps.size() <= most) return piece;
  piece.steps = {body(piece.steps)};
  ++piece.depth;
  return piece;
}

void Pieces::append(Piece &list, const Piece &piece, std::int64_t displacement) {
  if (piece.bytes == 0) return;
  for (Step step : piece.steps) {
    step.strip.offset += displacement;
    if (list.steps.empty() || !extends(list.steps.back(), step)) list.steps.push_back(step);
  }
  const Reach reach = moved(piece.reach, displacement);
  list.reach = list.bytes == 0 ? reach : both(list.reach, reach);
  list.bytes = sum(list.bytes, piece.bytes);
  list.basics = sum(list.basics, piece.basics);
  list.basic = common(list.basic, piece.basic);
  list.offset_bits |= piece.offset_bits | bits_of(displacement);
  list.depth = std::max(list.depth, piece.depth);
}

void Pieces::combine(Piece &list) {
  std::size_t kept = 0;
  for (const Step &step : list.steps)
    if (kept == 0 || !continues(list.steps[kept - 1], step)) list.steps[kept++] = step;
  list.steps.resize(kept);
}

Steps Pieces::finish(const Piece &piece, std::int64_t extent) && {
  const Step top = body(piece.steps);
  all_.shrink_to_fit();
  return {std::move(all_), top.first, extent, piece.depth};
}

Step Pieces::body(const std::vector<Step> &steps) {
  Step loop{{0, 0, 1, 0}, static_cast<std::uint32_t>(all_.size()), 0};
  all_.insert(all_.end(), steps.begin(), steps.end());
  loop.end = static_cast<std::uint32_t>(all_.size());
  return loop;
}

}  // namespace halocline::mpi
