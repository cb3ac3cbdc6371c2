// The copy kernels. Runs are long (memcpy) where the contiguous dimension runs along the block. They are a few elements where it is the
// halo's depth: then sizes are fixed, and the compiler makes single moves.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/copy.hpp"

#include <complex>
#include <cstring>

#include "base/stream.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kLine = 64, kFewLines = 4;

/// Calls leaf(to, from) for every run of the box.
template <class Leaf>
inline void for_each_run(char *to, const char *from, const BoxCopy &box, Leaf leaf) {
  for (std::int64_t l = 0; l < box.count[3]; ++l, to += box.to[3], from += box.from[3]) {
    char *to2 = to;
    const char *from2 = from;
    for (std::int64_t k = 0; k < box.count[2]; ++k, to2 += box.to[2], from2 += box.from[2]) {
      char *to1 = to2;
      const char *from1 = from2;
      for (std::int64_t j = 0; j < box.count[1]; ++j, to1 += box.to[1], from1 += box.from[1]) {
        char *to0 = to1;
        const char *from0 = from1;
        for (std::int64_t i = 0; i < box.count[0]; ++i, to0 += box.to[0], from0 += box.from[0]) leaf(to0, from0);
      }
    }
  }
}

template <std::size_t bytes>
void copy_fixed(char *to, const char *from, const BoxCopy &box) {
  for_each_run(to, from, box, [](char *t, const char *f) { std::memcpy(t, f, bytes); });
}

void copy_any(char *to, const char *from, const BoxCopy &box) {
  const auto bytes = static_cast<std::size_t>(box.run);
  for_each_run(to, from, box, [bytes](char *t, const char *f) { std::memcpy(t, f, bytes); });
}

/// Calls leaf(to, from) for every run of a bound copy that has no box.
template <class Leaf>
inline void for_each_bound_run(char *to, const char *from, const BoundCopy &bound, Leaf leaf) {
  for (std::int64_t i = 0; i < bound.runs; ++i, to += bound.to_step, from += bound.from_step) leaf(to, from);
}

/// A call of memcpy costs more than some lines that are moved here.
inline void run_copy(char *to, const char *from, const BoundCopy &bound) {
  const std::int64_t run = bound.run;
  if (bound.box) return copy(to, from, *bound.box);
  if (run <= kFewLines * kLine && run % kLine == 0)
    return for_each_bound_run(to, from, bound, [run](char *t, const char *f) {
      for (std::int64_t at = 0; at < run; at += kLine) std::memcpy(t + at, f + at, kLine);
    });
  for_each_bound_run(to, from, bound, [run](char *t, const char *f) { std::memcpy(t, f, static_cast<std::size_t>(run)); });
}

inline void run_past_caches(char *to, const char *from, const BoundCopy &bound) {
  if (bound.box) return copy_past_caches(to, from, *bound.box);
  if (!can_stream(to, bound.run)) return run_copy(to, from, bound);
  for_each_bound_run(to, from, bound, [&bound](char *t, const char *f) { stream_copy(t, f, bound.run); });
}

template <class T>
void add_typed(char *to, const char *from, const BoxCopy &box) {
  const std::int64_t elements = box.run / static_cast<std::int64_t>(sizeof(T));
  for_each_run(to, from, box, [elements](char *t, const char *f) {
    for (std::int64_t i = 0; i < elements; ++i, t += sizeof(T), f += sizeof(T)) {
      // Fields need not be aligned to their type, so the bytes are moved; the compiler makes loads and stores of it.
      T sum, summand;
      std::memcpy(&sum, t, sizeof(T));
      std::memcpy(&summand, f, sizeof(T));
      sum += summand;
      std::memcpy(t, &sum, sizeof(T));
    }
  });
}

}  // namespace

Strides packed_strides(const Cells &count, std::int64_t element, const std::array<int, kMaxDims> &order) {
  Strides strides{};
  for (const int d : order) {
    strides[static_cast<std::size_t>(d)] = element;
    element *= count[static_cast<std::size_t>(d)];
  }
  return strides;
}

BoxCopy plan_copy(const Cells &count, const Strides &to, const Strides &from, std::int64_t element,
                  const std::array<int, kMaxDims> &order) {
  BoxCopy box;
  box.run = element;
  std::size_t loops = 0;
  for (const int dim : order) {
    const auto d = static_cast<std::size_t>(dim);
    if (count[d] == 0) return BoxCopy{};
    if (count[d] == 1) continue;
    // A dimension that continues where the run ends, on both sides, makes the run longer.
    if (loops == 0 && to[d] == box.run && from[d] == box.run) {
      box.run *= count[d];
      continue;
    }
    // One that continues where the loop inside it ends makes that loop longer.
    if (loops > 0 && to[d] == box.to[loops - 1] * box.count[loops - 1] && from[d] == box.from[loops - 1] * box.count[loops - 1]) {
      box.count[loops - 1] *= count[d];
      continue;
    }
    box.count[loops] = count[d];
    box.to[loops] = to[d];
    box.from[loops] = from[d];
    ++loops;
  }
  return box;
}

void copy(char *to, const char *from, const BoxCopy &box) {
  switch (box.run) {
    case 0: return;
    case 4: return copy_fixed<4>(to, from, box);
    case 8: return copy_fixed<8>(to, from, box);
    case 16: return copy_fixed<16>(to, from, box);
    case 24: return copy_fixed<24>(to, from, box);
    case 32: return copy_fixed<32>(to, from, box);
    default: return copy_any(to, from, box);
  }
}

BoundCopy bind_copy(char *to, const char *from, const BoxCopy &box) {
  constexpr std::int64_t longest_fixed = 32;
  const bool simple = box.count[1] * box.count[2] * box.count[3] == 1 && box.run > longest_fixed;
  return {to, from, 0, box.run, box.count[0], box.to[0], box.from[0], simple ? nullptr : &box};
}

BoundCopy bind_to_message(std::int64_t place, const char *from, const BoxCopy &box) {
  BoundCopy bound = bind_copy(nullptr, from, box);
  bound.in_message = place;
  return bound;
}

BoundCopy bind_from_message(char *to, std::int64_t place, const BoxCopy &box) {
  BoundCopy bound = bind_copy(to, nullptr, box);
  bound.in_message = place;
  return bound;
}

void run_copies(std::span<const BoundCopy> copies) {
  for (const BoundCopy &bound : copies) run_copy(bound.to, bound.from, bound);
}

void CopyTable::run(std::span<const int> numbers) {
  for (std::size_t first = 0, end = 0; first < numbers.size(); first = end) {
    const auto group = static_cast<std::size_t>(numbers[first]);
    while (end < numbers.size() && static_cast<std::size_t>(numbers[end]) == group + (end - first)) ++end;
    run_copies(groups(group, group + (end - first)));
  }
}

void pack_copies(std::span<const BoundCopy> copies, char *message, bool past_caches) {
  for (const BoundCopy &bound : copies)
    past_caches ? run_past_caches(message + bound.in_message, bound.from, bound) : run_copy(message + bound.in_message, bound.from, bound);
}

void unpack_copies(std::span<const BoundCopy> copies, const char *message) {
  for (const BoundCopy &bound : copies) run_copy(bound.to, message + bound.in_message, bound);
}

void copy_past_caches(char *to, const char *from, const BoxCopy &box) {
  if (!can_stream(to, box.run)) return copy(to, from, box);
  for_each_run(to, from, box, [&box](char *t, const char *f) { stream_copy(t, f, box.run); });
}

void add(char *to, const char *from, const BoxCopy &box, hlc_type type) {
  if (box.run == 0) return;
  switch (type) {
    case HLC_FLOAT32: return add_typed<float>(to, from, box);
    case HLC_FLOAT64: return add_typed<double>(to, from, box);
    case HLC_INT32: return add_typed<std::uint32_t>(to, from, box);
    case HLC_INT64: return add_typed<std::uint64_t>(to, from, box);
    case HLC_COMPLEX64: return add_typed<std::complex<float>>(to, from, box);
    case HLC_COMPLEX128: return add_typed<std::complex<double>>(to, from, box);
    case HLC_OPAQUE: return;  // refused where the swap is started
  }
}

void clear(char *to, const BoxCopy &box) {
  const auto bytes = static_cast<std::size_t>(box.run);
  if (bytes == 0) return;
  for_each_run(to, to, box, [bytes](char *t, const char *) { std::memset(t, 0, bytes); });
}

}  // namespace halocline::core
