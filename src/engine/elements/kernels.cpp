// The loops of the operations. Elements are loaded and stored as bytes: they need not be aligned.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/elements/kernels.hpp"

#include <array>
#include <complex>
#include <cstring>
#include <type_traits>

#include "base/operators.hpp"

namespace halocline::core::elements {
namespace {

using namespace operators;  // NOLINT(google-build-using-namespace): one vocabulary

/// Of equal values the one with the lower index.
struct LeastLocation {
  template <class T>
  static T of(const T &a, const T &b) {
    return b.value < a.value || (!(a.value < b.value) && b.index < a.index) ? b : a;
  }
};

struct GreatestLocation {
  template <class T>
  static T of(const T &a, const T &b) {
    return a.value < b.value || (!(b.value < a.value) && b.index < a.index) ? b : a;
  }
};

template <class T>
void load_element(T &element, const char *from) {
  std::memcpy(&element, from, sizeof element);
}
template <class T>
void store_element(char *to, const T &element) {
  std::memcpy(to, &element, sizeof element);
}

// Part by part: bytes that are stored together are not at hand when only one part of them is loaded. A long double has gaps of its own.
struct [[gnu::packed, gnu::may_alias]] UnalignedLongDouble {
  long double value;
};
inline void load_element(long double &element, const char *from) { element = reinterpret_cast<const UnalignedLongDouble *>(from)->value; }
inline void store_element(char *to, const long double &element) { reinterpret_cast<UnalignedLongDouble *>(to)->value = element; }

template <class Part>
void load_element(std::complex<Part> &element, const char *from) {
  Part real, imaginary;
  load_element(real, from);
  load_element(imaginary, from + sizeof real);
  element = {real, imaginary};
}
template <class Part>
void store_element(char *to, const std::complex<Part> &element) {
  store_element(to, element.real());
  store_element(to + sizeof(Part), element.imag());
}

// Without the gaps of a pair.
template <class Value, class Index>
void load_element(Pair<Value, Index> &pair, const char *from) {
  load_element(pair.value, from);
  load_element(pair.index, from + data_in(pair).second_offset);
}
template <class Value, class Index>
void store_element(char *to, const Pair<Value, Index> &pair) {
  store_element(to, pair.value);
  store_element(to + data_in(pair).second_offset, pair.index);
}

template <class T, class Op>
void combine_element(char *target, const char *origin) {
  T a, b;
  load_element(a, target);
  load_element(b, origin);
  a = Op::of(a, b);
  store_element(target, a);
}

template <class T, class Op>
void combine_row(char *__restrict target, const char *__restrict origin, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    combine_element<T, Op>(target + i * static_cast<std::int64_t>(sizeof(T)), origin + i * static_cast<std::int64_t>(sizeof(T)));
}

/// Rows for which there is a loop with the wide registers of newer processors, beside the one for all: sums, the most frequent accumulates.
template <class T, class Op>
inline constexpr bool kHasWideLoop = std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) && std::is_same_v<Op, Sum>;

#ifdef __x86_64__
const bool kHasWideRegisters = __builtin_cpu_supports("avx2") > 0, kHasWidestRegisters = __builtin_cpu_supports("avx512f") > 0;
/// Of the row, from which on the widest registers gain.
constexpr std::int64_t kWidestBytes = 1024;

/// As many numbers as the widest registers have. Sums of integers wrap around.
template <class T>
struct Widest {
  using Part = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  typedef Part Numbers [[gnu::vector_size(64), gnu::aligned(1), gnu::may_alias]];
  static constexpr std::int64_t kBytes = 64;
};

/// Two registers at a time. Returns the bytes of the row that are done.
template <class T>
[[gnu::target("avx512f")]] std::int64_t add_widest(char *__restrict target, const char *__restrict origin, std::int64_t bytes) {
  using Numbers = typename Widest<T>::Numbers;
  constexpr std::int64_t kBytes = Widest<T>::kBytes;
  std::int64_t at = 0;
  for (; at + 2 * kBytes <= bytes; at += 2 * kBytes) {
    auto *const to = reinterpret_cast<Numbers *>(target + at);
    const auto *const from = reinterpret_cast<const Numbers *>(origin + at);
    to[0] += from[0];
    to[1] += from[1];
  }
  return at;
}

template <class T, class Op>
[[gnu::target("avx2")]] void combine_wide_row(char *__restrict target, const char *__restrict origin, std::int64_t count) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t done =
      kHasWidestRegisters && count * kBytes >= kWidestBytes ? add_widest<T>(target, origin, count * kBytes) / kBytes : 0;
  for (std::int64_t i = done; i < count; ++i)
    combine_element<T, Op>(target + i * static_cast<std::int64_t>(sizeof(T)), origin + i * static_cast<std::int64_t>(sizeof(T)));
}
#else
constexpr bool kHasWideRegisters = false;

template <class T, class Op>
void combine_wide_row(char *, const char *, std::int64_t) {}
#endif

/// What the loops need is in variables of their own: stores to char might change the row.
template <class T, class Op>
void combine(const Row &row) {
  constexpr std::int64_t kBytes = sizeof(T);
  char *__restrict target = row.target;
  const char *__restrict origin = row.origin;
  const std::int64_t count = row.count, target_stride = row.target_stride, origin_stride = row.origin_stride;
  if (target_stride == kBytes && origin_stride == kBytes) {
    if constexpr (kHasWideLoop<T, Op>)
      if (kHasWideRegisters) return combine_wide_row<T, Op>(target, origin, count);
    return combine_row<T, Op>(target, origin, count);
  }
  for (std::int64_t i = 0; i < count; ++i) combine_element<T, Op>(target + i * target_stride, origin + i * origin_stride);
}

/// A sum of complex numbers is one of their parts.
template <class Part>
void sum_parts(const Row &row) {
  constexpr std::int64_t kBytes = sizeof(std::complex<Part>), kPart = sizeof(Part);
  if (row.target_stride == kBytes && row.origin_stride == kBytes)
    return combine<Part, Sum>({row.target, row.origin, nullptr, kPart, kPart, 0, 2 * row.count});
  combine<std::complex<Part>, Sum>(row);
}

template <class Part>
constexpr Kernel sum_of(const std::complex<Part> &) {
  return &sum_parts<Part>;
}
template <class T>
constexpr Kernel sum_of(const T &) {
  return &combine<T, Sum>;
}

template <class T>
constexpr Kernel arithmetic(Operation op) {
  if (op == Operation::sum) return sum_of(T());
  return op == Operation::prod ? &combine<T, Product> : nullptr;
}

template <class T>
constexpr Kernel order(Operation op) {
  if (op == Operation::min) return &combine<T, Least>;
  return op == Operation::max ? &combine<T, Greatest> : nullptr;
}

template <class T>
constexpr Kernel logic(Operation op) {
  if (op == Operation::land) return &combine<T, LogicalAnd>;
  if (op == Operation::lor) return &combine<T, LogicalOr>;
  return op == Operation::lxor ? &combine<T, LogicalXor> : nullptr;
}

template <class T>
constexpr Kernel bits(Operation op) {
  if (op == Operation::band) return &combine<T, BitAnd>;
  if (op == Operation::bor) return &combine<T, BitOr>;
  return op == Operation::bxor ? &combine<T, BitXor> : nullptr;
}

template <class T>
constexpr Kernel location(Operation op) {
  if (op == Operation::minloc) return &combine<T, LeastLocation>;
  return op == Operation::maxloc ? &combine<T, GreatestLocation> : nullptr;
}

constexpr bool is_order(Operation op) { return op == Operation::min || op == Operation::max; }
constexpr bool is_logic(Operation op) { return op == Operation::land || op == Operation::lor || op == Operation::lxor; }
constexpr bool is_bits(Operation op) { return op == Operation::band || op == Operation::bor || op == Operation::bxor; }

template <class T>
constexpr Kernel real(Operation op) {
  return is_order(op) ? order<T>(op) : arithmetic<T>(op);
}

template <class T>
constexpr Kernel integer(Operation op) {
  return is_bits(op) ? bits<T>(op) : real<T>(op);
}

constexpr bool is_complex(Basic type) { return type >= Basic::complex64 && type <= Basic::complex256; }

/// The groups of types of the standard (MPI 4.1, section 6.9.2). Integers of Fortran and of several languages are one group here, as they
/// have the same operations.
template <class T>
constexpr Kernel choose(Operation op, [[maybe_unused]] Basic type) {
  if constexpr (Integer<T>) {
    if (is_fortran_integer(type)) return integer<T>(op);
    if (is_c_integer(type)) return is_logic(op) ? logic<T>(op) : integer<T>(op);
    if (is_logical(type)) return logic<T>(op);
    return type == Basic::byte ? bits<T>(op) : nullptr;
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, long double> ||
                       std::is_same_v<T, Float128>) {
    return real<T>(op);
  } else {
    return is_complex(type) ? arithmetic<T>(op) : nullptr;
  }
}

template <class Value, class Index>
constexpr Kernel choose_for(const Pair<Value, Index> &, Operation op, Basic) {
  return location<Pair<Value, Index>>(op);
}

template <class T>
constexpr Kernel choose_for(const T &, Operation op, Basic type) {
  return choose<T>(op, type);
}

constexpr int kOperations = static_cast<int>(Operation::count_);
using Table = std::array<std::array<Kernel, kBasics>, kOperations>;

constexpr Table make_table() {
  Table table{};
  for (int op = 0; op < kOperations; ++op)
    for (int type = 0; type < kBasics; ++type)
      with_element(static_cast<Basic>(type), [&](auto element) {
        table[static_cast<std::size_t>(op)][static_cast<std::size_t>(type)] =
            choose_for(element, static_cast<Operation>(op), static_cast<Basic>(type));
      });
  return table;
}

constexpr Table kKernels = make_table();

}  // namespace

Kernel kernel_of(Operation op, Basic type) {
  return op < Operation::count_ ? kKernels[static_cast<std::size_t>(op)][static_cast<std::size_t>(type)] : nullptr;
}

}  // namespace halocline::core::elements
