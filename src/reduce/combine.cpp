// The arithmetic of reductions: one loop per type and operation, which the compiler vectorises.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/combine.hpp"

#include <algorithm>
#include <complex>
#include <cstring>

#include "base/stream.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kBlockBytes = 8192;  // of each source at a time: the result stays in the innermost cache until the last source

struct Sum {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct Least {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct Greatest {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};

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

void plain_copy(char *to, const char *from, std::int64_t bytes) { std::memcpy(to, from, static_cast<std::size_t>(bytes)); }

}  // namespace

template <class T, class Op>
void Combiner::take() {
  append_ = append_elements<T, Op>;
  join_ = join_elements<T, Op>;
}

template <class T>
void Combiner::take_ordered(hlc_reduction reduction) {
  if (reduction == HLC_REDUCE_MIN)
    take<T, Least>();
  else
    take<T, Greatest>();
}

/// Integers are added as unsigned numbers, so that they wrap around.
Status Combiner::choose_builtin(const char *who, const hlc_allreduce_spec &spec) {
  const bool sum = spec.reduction == HLC_REDUCE_SUM;
  switch (spec.type) {
    case HLC_FLOAT32: sum ? take<float, Sum>() : take_ordered<float>(spec.reduction); break;
    case HLC_FLOAT64: sum ? take<double, Sum>() : take_ordered<double>(spec.reduction); break;
    case HLC_INT32: sum ? take<std::uint32_t, Sum>() : take_ordered<std::int32_t>(spec.reduction); break;
    case HLC_INT64: sum ? take<std::uint64_t, Sum>() : take_ordered<std::int64_t>(spec.reduction); break;
    case HLC_COMPLEX64:
    case HLC_COMPLEX128:
      if (!sum)
        return fail(Status::unsupported, "%s: reduction is %s, and complex numbers have no order", who,
                    spec.reduction == HLC_REDUCE_MIN ? "HLC_REDUCE_MIN" : "HLC_REDUCE_MAX");
      spec.type == HLC_COMPLEX64 ? take<std::complex<float>, Sum>() : take<std::complex<double>, Sum>();
      break;
    case HLC_OPAQUE: return fail(Status::argument, "%s: type is HLC_OPAQUE, which only HLC_REDUCE_USER combines", who);
  }
  return Status::ok;
}

Status Combiner::choose(const char *who, const hlc_allreduce_spec &spec) {
  element_bytes_ = spec.type == HLC_OPAQUE ? static_cast<std::int64_t>(spec.element_bytes) : type_bytes(spec.type);
  if (spec.reduction != HLC_REDUCE_USER) return choose_builtin(who, spec);
  function_ = spec.function;
  user_ = spec.user;
  return Status::ok;
}

void Combiner::append(char *acc, const char *x, std::int64_t count) const {
  if (function_)
    function_(x, acc, count, user_);
  else
    append_(acc, x, count);
}

void Combiner::fold(char *to, const char *const *sources, int n, std::int64_t count, Second second) const {
  const std::int64_t block = std::max<std::int64_t>(1, kBlockBytes / element_bytes_);
  for (std::int64_t done = 0; done < count; done += block) {
    const std::int64_t now = std::min(block, count - done), offset = done * element_bytes_;
    const bool in_place = to == sources[0];
    const bool join = join_ && n > 1 && !in_place;
    if (join)
      join_(to + offset, sources[0] + offset, sources[1] + offset, now);
    else if (!in_place)
      std::memcpy(to + offset, sources[0] + offset, static_cast<std::size_t>(now * element_bytes_));
    for (int i = join ? 2 : 1; i < n; ++i) append(to + offset, sources[i] + offset, now);
    if (second.to) (second.past_caches ? stream_copy : plain_copy)(second.to + offset, to + offset, now * element_bytes_);
  }
}

}  // namespace halocline::core
