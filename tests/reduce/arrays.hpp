// What the tests of reductions share: plans that free themselves, elements that name their rank, and the oracle. The oracle is a serial
// fold in the documented order.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "engine/segments.hpp"

namespace halocline::test {

inline constexpr std::int64_t kGuard = 3;  // elements before and behind a result that must stay as they are

template <class T>
constexpr hlc_type type_of() {
  if constexpr (std::is_same_v<T, float>) return HLC_FLOAT32;
  if constexpr (std::is_same_v<T, double>) return HLC_FLOAT64;
  if constexpr (std::is_same_v<T, std::int32_t>) return HLC_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return HLC_INT64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return HLC_COMPLEX64;
  return HLC_COMPLEX128;
}

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}
template <class T>
T least(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T greatest(T a, T b) {
  return a < b ? b : a;
}

inline hlc_allreduce_spec spec_of(hlc_type type, hlc_reduction reduction, std::int64_t count) {
  hlc_allreduce_spec spec{};
  spec.type = type;
  spec.reduction = reduction;
  spec.count = count;
  return spec;
}

/// A plan, destroyed at the end.
class Plan {
 public:
  explicit Plan(const hlc_allreduce_spec &spec, hlc_context *in = context()) { EXPECT_TRUE(ok(hlc_allreduce_create(in, &spec, &raw_))); }
  ~Plan() {
    if (raw_) {
      EXPECT_TRUE(ok(hlc_allreduce_destroy(&raw_)));
    }
  }
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;
  hlc_allreduce *raw() const { return raw_; }
  hlc_status run(const void *in, void *out) const { return hlc_allreduce_run(raw_, in, out); }

 private:
  hlc_allreduce *raw_ = nullptr;
};

inline std::uint64_t mixed_word(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

/// Element i of a rank's input in a step: never 0, of either sign. Sizes differ greatly, so that sums depend on their order.
template <class T>
struct Element {
  static T of(int origin, int step, std::int64_t i) {
    const auto place = static_cast<std::uint64_t>(i) * 1009 + static_cast<std::uint64_t>(origin) * 7919;
    const std::uint64_t word = mixed_word(place + static_cast<std::uint64_t>(step) * 104729 + 1);
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(word | 1);
    } else {
      const T sign = word & 1 ? T{1} : T{-1};
      return sign * (T{1} + static_cast<T>(word >> 40)) / static_cast<T>(1 + (word >> 1) % 977);
    }
  }
};
template <class R>
struct Element<std::complex<R>> {
  static std::complex<R> of(int origin, int step, std::int64_t i) {
    return {Element<R>::of(origin, step, 2 * i), Element<R>::of(origin, step, 2 * i + 1)};
  }
};

template <class T>
std::vector<T> elements_of(int origin, int step, std::int64_t count) {
  std::vector<T> made(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) made[static_cast<std::size_t>(i)] = Element<T>::of(origin, step, i);
  return made;
}

/// The ranks in the order in which element i is folded, as reduce.h documents it.
class Order {
 public:
  explicit Order(std::int64_t count) : nodes_(nodes_of_ranks()), n_(1 + *std::max_element(nodes_.begin(), nodes_.end())), count_(count) {}
  std::vector<int> of(std::int64_t i) const {
    const std::int64_t each = count_ / n_, more = count_ % n_;
    const int first = static_cast<int>(i < more * (each + 1) ? i / (each + 1) : more + (i - more * (each + 1)) / each);
    std::vector<int> ranks;
    for (int k = 0; k < n_; ++k)
      for (int r = 0; r < size(); ++r)
        if (nodes_[static_cast<std::size_t>(r)] == (first + k) % n_) ranks.push_back(r);
    return ranks;
  }
  /// The first element whose order is that of the next part.
  std::int64_t end_of(std::int64_t i) const {
    const std::vector<int> here = of(i);
    std::int64_t low = i, high = count_;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (of(middle) == here ? low : high) = middle;
    }
    return high;
  }

 private:
  std::vector<int> nodes_;
  int n_;
  std::int64_t count_;
};

template <class T, class Op>
std::vector<T> folded(int step, std::int64_t count, Op op) {
  std::vector<T> result(static_cast<std::size_t>(count));
  if (count == 0) return result;
  const Order order(count);
  for (std::int64_t begin = 0; begin < count;) {
    const std::int64_t end = order.end_of(begin);
    const std::vector<int> ranks = order.of(begin);
    for (std::int64_t i = begin; i < end; ++i) {
      T value = Element<T>::of(ranks.front(), step, i);
      for (std::size_t r = 1; r < ranks.size(); ++r) value = op(value, Element<T>::of(ranks[r], step, i));
      result[static_cast<std::size_t>(i)] = value;
    }
    begin = end;
  }
  return result;
}

/// The same bits, element by element.
template <class T>
testing::AssertionResult same_bits(const T *actual, const std::vector<T> &expected) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (std::memcmp(&actual[i], &expected[i], sizeof(T)) != 0)
      return testing::AssertionFailure() << "element " << i << " of " << expected.size() << " is " << actual[i] << ", expected "
                                         << expected[i] << " on rank " << rank();
  return testing::AssertionSuccess();
}

/// Runs a plan into a buffer with guards and compares; the input must be unchanged.
template <class T>
void expect_run(const Plan &plan, int step, const std::vector<T> &expected) {
  const auto count = static_cast<std::int64_t>(expected.size());
  const std::vector<T> in = elements_of<T>(rank(), step, count);
  const T guard = Element<T>::of(99, 99, 99);
  std::vector<T> given = in, out(static_cast<std::size_t>(count + 2 * kGuard), guard);
  EXPECT_TRUE(ok(plan.run(given.data(), out.data() + kGuard)));
  EXPECT_TRUE(same_bits(out.data() + kGuard, expected));
  EXPECT_TRUE(same_bits(given.data(), in)) << "the input was changed";
  for (std::int64_t g = 0; g < kGuard; ++g)
    EXPECT_TRUE(out[static_cast<std::size_t>(g)] == guard && out[static_cast<std::size_t>(count + kGuard + g)] == guard)
        << "written outside of the result";
}

/// In place.
template <class T>
void expect_run_in_place(const Plan &plan, int step, const std::vector<T> &expected) {
  std::vector<T> data = elements_of<T>(rank(), step, static_cast<std::int64_t>(expected.size()));
  EXPECT_TRUE(ok(plan.run(data.data(), data.data())));
  EXPECT_TRUE(same_bits(data.data(), expected));
}

}  // namespace halocline::test
