// The basic types that type signatures consist of. MPI has several names for some of them: MPI_INT, MPI_INTEGER and MPI_INT32_T are one here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

namespace halocline::core::elements {

enum class Basic : std::uint8_t {
  none,  // no data at all
  mixed,  // a derived datatype of several basic types
  other,  // predefined, but not known here: it can be put and got, not accumulated
  // Without arithmetic: they can be replaced.
  character,
  wide_character,
  half,
  complex_half,
  byte,
  // Integers of C.
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  // Integers of Fortran, and of several languages, as MPI_AINT: MPI has no logical operations for them.
  fortran_int8,
  fortran_int16,
  fortran_int32,
  fortran_int64,
  fortran_int128,
  float32,
  float64,
  long_double,
  float128,
  complex64,
  complex128,
  complex_long_double,
  complex256,
  boolean,  // bool of C and C++
  logical8,
  logical16,
  logical32,
  logical64,
  logical128,
  // Pairs of a value and its location, for MPI_MINLOC and MPI_MAXLOC: structs of C, or two numbers of Fortran.
  short_int,
  int_int,
  long_int,
  float_int,
  double_int,
  long_double_int,
  float_float,
  double_double,
  count_
};

inline constexpr int kBasics = static_cast<int>(Basic::count_);

constexpr bool is_pair(Basic type) { return type >= Basic::short_int && type < Basic::count_; }

/// True for what can be put into MPI_Accumulate, if only to replace.
constexpr bool is_element(Basic type) { return type >= Basic::character && type < Basic::count_; }

constexpr bool is_c_integer(Basic type) { return type >= Basic::int8 && type <= Basic::uint64; }
constexpr bool is_fortran_integer(Basic type) { return type >= Basic::fortran_int8 && type <= Basic::fortran_int128; }
constexpr bool is_logical(Basic type) { return type >= Basic::boolean && type <= Basic::logical128; }

/// The type of C that an integer of Fortran is like, if there is one; else the type itself.
constexpr Basic like_c(Basic type) {
  if (!is_fortran_integer(type) || type == Basic::fortran_int128) return type;
  return static_cast<Basic>(static_cast<int>(Basic::int8) + static_cast<int>(type) - static_cast<int>(Basic::fortran_int8));
}

/// A value and its location, as C lays the struct out.
template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

__extension__ typedef __int128 Int128;
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Float128;
#else
using Float128 = long double;
#endif

/// Calls `work` with a value of the C++ type that an element is computed with: for logicals and characters an integer, for pairs a Pair. Does
/// nothing for what is not an element.
template <class Work>
constexpr void with_element(Basic type, Work work) {
  switch (type) {
    case Basic::character:
    case Basic::byte:
    case Basic::boolean:
    case Basic::uint8: return work(std::uint8_t{});
    case Basic::half:
    case Basic::uint16: return work(std::uint16_t{});
    case Basic::wide_character:
    case Basic::complex_half:
    case Basic::uint32: return work(std::uint32_t{});
    case Basic::uint64: return work(std::uint64_t{});
    case Basic::logical8:
    case Basic::fortran_int8:
    case Basic::int8: return work(std::int8_t{});
    case Basic::logical16:
    case Basic::fortran_int16:
    case Basic::int16: return work(std::int16_t{});
    case Basic::logical32:
    case Basic::fortran_int32:
    case Basic::int32: return work(std::int32_t{});
    case Basic::logical64:
    case Basic::fortran_int64:
    case Basic::int64: return work(std::int64_t{});
    case Basic::logical128:
    case Basic::fortran_int128: return work(Int128{});
    case Basic::float32: return work(float{});
    case Basic::float64: return work(double{});
    case Basic::long_double: return work(0.0L);
    case Basic::float128: return work(Float128{});
    case Basic::complex64: return work(std::complex<float>{});
    case Basic::complex128: return work(std::complex<double>{});
    case Basic::complex_long_double: return work(std::complex<long double>{});
    case Basic::complex256: return work(std::complex<Float128>{});
    case Basic::short_int: return work(Pair<short, int>{});
    case Basic::int_int: return work(Pair<int, int>{});
    case Basic::long_int: return work(Pair<long, int>{});
    case Basic::float_int: return work(Pair<float, int>{});
    case Basic::double_int: return work(Pair<double, int>{});
    case Basic::long_double_int: return work(Pair<long double, int>{});
    case Basic::float_float: return work(Pair<float, float>{});
    case Basic::double_double: return work(Pair<double, double>{});
    case Basic::none:
    case Basic::mixed:
    case Basic::other:
    case Basic::count_: return;
  }
}

/// Bytes from one element of an array to the next; 0 for what is not an element.
constexpr std::int64_t basic_bytes(Basic type) {
  std::int64_t bytes = 0;
  with_element(type, [&](auto element) { bytes = static_cast<std::int64_t>(sizeof element); });
  return bytes;
}

/// Where the data of an element are: a number, or the two of a pair. Between and behind these a pair may have gaps, which belong to others.
struct ElementData {
  std::int64_t first_bytes = 0, second_offset = 0, second_bytes = 0;

  /// Bytes up to the end of the data.
  constexpr std::int64_t end() const { return second_bytes == 0 ? first_bytes : second_offset + second_bytes; }
  constexpr bool has_gaps(std::int64_t bytes) const { return first_bytes + second_bytes != bytes; }
};

template <class Value, class Index>
constexpr ElementData data_in(const Pair<Value, Index> &) {
  using P = Pair<Value, Index>;
  return {sizeof(Value), offsetof(P, index), sizeof(Index)};
}
template <class T>
constexpr ElementData data_in(const T &) {
  return {sizeof(T), 0, 0};
}

constexpr ElementData data_of(Basic type) {
  ElementData data;
  with_element(type, [&](auto element) { data = data_in(element); });
  return data;
}

/// True if an element has padding bytes.
constexpr bool has_gaps(Basic type) { return data_of(type).has_gaps(basic_bytes(type)); }

}  // namespace halocline::core::elements
