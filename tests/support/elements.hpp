// Self-describing elements: the bytes of an element are a function of its writer (rank, field, global cell, step), for each type. So a
// wrong offset, a stale halo and a torn write can be distinguished. Independent of the library.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <halocline/halocline.h>

namespace halocline::test {

using Index = std::array<std::int64_t, HLC_MAX_DIMS>;

/// The writer of an element.
struct Writer {
  int rank = 0;
  int field = 0;
  Index cell{};  ///< global coordinates
  int step = 0;
};

/// The value of a byte that has never been written.
inline constexpr std::byte poison{0xDB};

inline std::uint64_t mixed(std::uint64_t word) {
  word += 0x9E3779B97F4A7C15u;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

inline std::uint64_t hash(const Writer &writer) {
  std::uint64_t word = mixed(static_cast<std::uint64_t>(writer.rank) << 32 | static_cast<std::uint64_t>(writer.field));
  for (const std::int64_t coordinate : writer.cell) word = mixed(word ^ static_cast<std::uint64_t>(coordinate));
  return mixed(word ^ static_cast<std::uint64_t>(writer.step));
}

/// Bytes of one element of a type; `opaque_bytes` for HLC_OPAQUE.
inline std::size_t bytes_of(hlc_type type, std::size_t opaque_bytes) {
  switch (type) {
    case HLC_FLOAT32:
    case HLC_INT32: return 4;
    case HLC_FLOAT64:
    case HLC_INT64:
    case HLC_COMPLEX64: return 8;
    case HLC_COMPLEX128: return 16;
    case HLC_OPAQUE: break;
  }
  return opaque_bytes;
}

template <class T>
void store(std::byte *element, std::size_t part, T value) {
  std::memcpy(element + part * sizeof(T), &value, sizeof(T));
}

/// Writes the element of a writer. Floating-point elements are whole numbers that the type represents exactly, never zero.
inline void write_element(hlc_type type, std::size_t bytes, const Writer &writer, std::byte *element) {
  const std::uint64_t first = hash(writer), second = mixed(first);
  switch (type) {
    case HLC_FLOAT32: return store(element, 0, static_cast<float>(1 + first % (1u << 23)));
    case HLC_FLOAT64: return store(element, 0, static_cast<double>(1 + first % (std::uint64_t{1} << 52)));
    case HLC_INT32: return store(element, 0, static_cast<std::uint32_t>(first | 1));
    case HLC_INT64: return store(element, 0, first | 1);
    case HLC_COMPLEX64:
      store(element, 0, static_cast<float>(1 + first % (1u << 23)));
      return store(element, 1, static_cast<float>(1 + second % (1u << 23)));
    case HLC_COMPLEX128:
      store(element, 0, static_cast<double>(1 + first % (std::uint64_t{1} << 52)));
      return store(element, 1, static_cast<double>(1 + second % (std::uint64_t{1} << 52)));
    case HLC_OPAQUE: break;
  }
  std::uint64_t word = first;
  for (std::size_t b = 0; b < bytes; ++b, word = b % 8 == 0 ? mixed(word) : word) element[b] = static_cast<std::byte>(word >> (b % 8 * 8));
  if (bytes < 3 && element[0] == poison) element[0] = std::byte{0x5A};
}

/// Writes a small whole number that depends on the writer, for sums that must be exact in any order.
inline void write_small_number(hlc_type type, const Writer &writer, std::byte *element) {
  const auto real = static_cast<int>(hash(writer) % 2001) - 1000, imaginary = static_cast<int>(mixed(hash(writer)) % 2001) - 1000;
  switch (type) {
    case HLC_FLOAT32: return store(element, 0, static_cast<float>(real));
    case HLC_FLOAT64: return store(element, 0, static_cast<double>(real));
    case HLC_INT32: return store(element, 0, static_cast<std::int32_t>(real));
    case HLC_INT64: return store(element, 0, static_cast<std::int64_t>(real));
    case HLC_COMPLEX64: store(element, 0, static_cast<float>(real)); return store(element, 1, static_cast<float>(imaginary));
    case HLC_COMPLEX128: store(element, 0, static_cast<double>(real)); return store(element, 1, static_cast<double>(imaginary));
    case HLC_OPAQUE: break;
  }
}

template <class T>
void add_parts(std::byte *sum, const std::byte *term, std::size_t parts) {
  for (std::size_t p = 0; p < parts; ++p) {
    T a, b;
    std::memcpy(&a, sum + p * sizeof(T), sizeof(T));
    std::memcpy(&b, term + p * sizeof(T), sizeof(T));
    store(sum, p, static_cast<T>(a + b));
  }
}

/// sum += term for one element of a type that can be added.
inline void add_element(hlc_type type, std::byte *sum, const std::byte *term) {
  switch (type) {
    case HLC_FLOAT32: return add_parts<float>(sum, term, 1);
    case HLC_FLOAT64: return add_parts<double>(sum, term, 1);
    case HLC_INT32: return add_parts<std::uint32_t>(sum, term, 1);  // sums wrap, as the library's do
    case HLC_INT64: return add_parts<std::uint64_t>(sum, term, 1);
    case HLC_COMPLEX64: return add_parts<float>(sum, term, 2);
    case HLC_COMPLEX128: return add_parts<double>(sum, term, 2);
    case HLC_OPAQUE: break;
  }
}

/// The product of two elements as a whole number, real and imaginary parts multiplied separately: what the dot-product identity needs.
inline double product(hlc_type type, const std::byte *a, const std::byte *b) {
  const auto part = [](const std::byte *element, std::size_t p, auto kind) {
    decltype(kind) value;
    std::memcpy(&value, element + p * sizeof value, sizeof value);
    return static_cast<double>(value);
  };
  switch (type) {
    case HLC_FLOAT32: return part(a, 0, 0.0f) * part(b, 0, 0.0f);
    case HLC_FLOAT64: return part(a, 0, 0.0) * part(b, 0, 0.0);
    case HLC_INT32: return part(a, 0, std::int32_t{}) * part(b, 0, std::int32_t{});
    case HLC_INT64: return part(a, 0, std::int64_t{}) * part(b, 0, std::int64_t{});
    case HLC_COMPLEX64: return part(a, 0, 0.0f) * part(b, 0, 0.0f) + part(a, 1, 0.0f) * part(b, 1, 0.0f);
    case HLC_COMPLEX128: return part(a, 0, 0.0) * part(b, 0, 0.0) + part(a, 1, 0.0) * part(b, 1, 0.0);
    case HLC_OPAQUE: break;
  }
  return 0;
}

}  // namespace halocline::test
