// The arithmetic of reductions: one loop per type and operation, which the compiler vectorises.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/combine.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <iterator>

#include "base/operators.hpp"
#include "base/stream.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kBlockBytes = 8192;  // of each source at a time: the result stays in the innermost cache until the last source

template <class T, class Op>
void append_elements(char *acc, const char *x, std::int64_t count) {
  auto *__restrict__ left = reinterpret_cast<T *>(acc);
  const auto *__restrict__ right = reinterpret_cast<const T *>(x);
  for (std::int64_t i = 0; i < count; ++i) left[i] = Op::of(left[i], right[i]);
}

template <class T, class Op>
void join_elements(char *to, const char *a, const char *b, std::int64_t count) {
  auto *__restrict__ made = reinterpret_cast<T *>(to);
  const auto *__restrict__ left = reinterpret_cast<const T *>(a);
  const auto *__restrict__ right = reinterpret_cast<const T *>(b);
  for (std::int64_t i = 0; i < count; ++i) made[i] = Op::of(left[i], right[i]);
}

template <class T, class Op>
constexpr FoldLoops loops_of() {
  return {append_elements<T, Op>, join_elements<T, Op>};
}

/// The loops of a type, by hlc_reduction; none where the type has no such reduction.
using TypeLoops = std::array<FoldLoops, HLC_REDUCE_USER>;

template <class T>
constexpr TypeLoops ordered() {
  return {{loops_of<T, operators::Sum>(), loops_of<T, operators::Least>(), loops_of<T, operators::Greatest>()}};
}
template <class T>
constexpr TypeLoops unordered() {
  return {{loops_of<T, operators::Sum>(), {}, {}}};
}

/// By hlc_type.
constexpr TypeLoops kLoops[] = {
    {},  // HLC_OPAQUE
    ordered<float>(),
    ordered<double>(),
    ordered<std::int32_t>(),
    ordered<std::int64_t>(),
    unordered<std::complex<float>>(),
    unordered<std::complex<double>>(),
};
static_assert(std::size(kLoops) == HLC_COMPLEX128 + 1);

}  // namespace

void copy_result(char *to, const char *from, std::int64_t bytes, bool past_caches) {
  if (past_caches)
    stream_copy(to, from, bytes);
  else
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

Status Combiner::choose_loops(const char *who, const hlc_allreduce_spec &spec) {
  loops_ = kLoops[spec.type][static_cast<std::size_t>(spec.reduction)];
  if (loops_.append) return Status::ok;
  if (spec.type == HLC_OPAQUE) return fail(Status::argument, "%s: type is HLC_OPAQUE, which only HLC_REDUCE_USER combines", who);
  return fail(Status::unsupported, "%s: reduction is %s, and complex numbers have no order", who,
              spec.reduction == HLC_REDUCE_MIN ? "HLC_REDUCE_MIN" : "HLC_REDUCE_MAX");
}

Status Combiner::choose(const char *who, const hlc_allreduce_spec &spec) {
  element_bytes_ = spec.type == HLC_OPAQUE ? static_cast<std::int64_t>(spec.element_bytes) : type_bytes(spec.type);
  block_ = std::max<std::int64_t>(1, kBlockBytes / element_bytes_);
  if (spec.reduction != HLC_REDUCE_USER) return choose_loops(who, spec);
  function_ = spec.function;
  user_ = spec.user;
  return Status::ok;
}

void Combiner::append(char *acc, const char *x, std::int64_t count) const {
  if (function_)
    function_(x, acc, count, user_);
  else
    loops_.append(acc, x, count);
}

void Combiner::fold(char *to, const char *const *sources, int n, std::int64_t count, Second second) const {
  const bool in_place = to == sources[0];
  const bool join = loops_.join && n > 1 && !in_place;
  for (std::int64_t done = 0; done < count; done += block_) {
    const std::int64_t now = std::min(block_, count - done), offset = done * element_bytes_;
    if (join)
      loops_.join(to + offset, sources[0] + offset, sources[1] + offset, now);
    else if (!in_place)
      std::memcpy(to + offset, sources[0] + offset, static_cast<std::size_t>(now * element_bytes_));
    for (int i = join ? 2 : 1; i < n; ++i) append(to + offset, sources[i] + offset, now);
    if (second.to) copy_result(second.to + offset, to + offset, now * element_bytes_, second.past_caches);
  }
}

}  // namespace halocline::core
