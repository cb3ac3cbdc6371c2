// Walks over layouts.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/elements/walk.hpp"

namespace halocline::core::elements {

Cursor::Cursor(const Steps &steps, std::int64_t count) : all_(steps.all.data()), frames_(few_) {
  if (count <= 0 || steps.top == steps.all.size() || start_single(steps, count)) return;
  if (steps.depth > kFrames) {
    many_.reset(new Frame[static_cast<std::size_t>(steps.depth)]);
    frames_ = many_.get();
  }
  push(all_ + steps.top, all_ + steps.all.size(), {0, 0, count, steps.extent});
}

/// One strip, whose repetitions are a strip as well. The most frequent case.
bool Cursor::start_single(const Steps &steps, std::int64_t count) {
  if (steps.top + 1 != steps.all.size() || steps.all.back().end != 0) return false;
  Strip strip = steps.all.back().strip;
  if (strip.count == 1 && strip.bytes == steps.extent) {
    strip.bytes *= count;
  } else if (strip.count == 1) {
    strip.count = count;
    strip.stride = steps.extent;
  } else if (count == 1 || strip.count * strip.stride == steps.extent) {
    strip.count *= count;
  } else {
    return false;
  }
  single_ = strip;
  return true;
}

void Cursor::push(const Step *first, const Step *end, const Strip &loop) {
  frames_[depth_++] = {first, end, first, loop.offset, loop.count, loop.stride};
}

bool Cursor::next(Strip &strip) {
  if (single_.count > 0) {
    strip = single_;
    single_.count = 0;
    return true;
  }
  while (depth_ > 0) {
    Frame &frame = frames_[depth_ - 1];
    if (frame.next == frame.end) {
      if (--frame.left == 0) {
        --depth_;
      } else {
        frame.next = frame.first;
        frame.base += frame.stride;
      }
      continue;
    }
    const Step &step = *frame.next++;
    strip = step.strip;
    strip.offset += frame.base;
    if (step.end == 0) return true;
    push(all_ + step.first, all_ + step.end, strip);
  }
  return false;
}

bool Side::fill() {
  if (now_.count > 0) return true;
  if (later_.count == 0) return cursor_.next(now_);
  now_ = later_;
  later_.count = 0;
  return true;
}

void Side::take(std::int64_t bytes, std::int64_t pieces) {
  if (bytes == now_.bytes) {
    now_.offset += pieces * now_.stride;
    now_.count -= pieces;
    return;
  }
  const std::int64_t taken = bytes * pieces;
  if (taken == now_.bytes) {
    now_.offset += now_.stride;
    --now_.count;
    return;
  }
  if (now_.count > 1) later_ = {now_.offset + now_.stride, now_.bytes, now_.count - 1, now_.stride};
  now_ = {now_.offset + taken, now_.bytes - taken, 1, 0};
}

}  // namespace halocline::core::elements
