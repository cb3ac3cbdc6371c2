// Put and get, of any type: on the node a copy, which is complete when it returns, else the engine's operations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>

#include "faces/shmem/context.hpp"
#include "faces/shmem/near.hpp"

namespace halocline::core::shmem {

/// When a call returns: once the local buffer may be reused, or once the operation has begun.
enum class Returns { when_reusable, at_once };

/// A copy between this process and a PE; `pe` is one of the world.
struct Move {
  void *dest;
  const void *source;
  std::size_t bytes;
  int pe;
};

/// What the fast path does not do: static data, PEs of other nodes, and wrong arguments.
void put_elsewhere(const char *call, ContextState &context, const Move &move, Returns returns);
void get_elsewhere(const char *call, ContextState &context, const Move &move, Returns returns);

/// The bytes of some elements; more than there can be if that is no number.
inline std::size_t bytes_of(std::size_t nelems, std::size_t size) {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(nelems, size, &bytes) ? SIZE_MAX : bytes;
}

/// The bytes from the first of some elements to the end of the last; more than there can be if that is no number. nelems > 0.
inline std::size_t bytes_of(std::size_t nelems, std::ptrdiff_t stride, std::size_t size) {
  std::size_t elements = 0;
  if (__builtin_mul_overflow(nelems - 1, static_cast<std::size_t>(stride), &elements)) return SIZE_MAX;
  return __builtin_add_overflow(elements, std::size_t{1}, &elements) ? SIZE_MAX : bytes_of(elements, size);
}

inline void put_bytes(const char *call, ContextState &context, const Move &move, Returns returns) {
  char *place = near_place(move.dest, move.bytes, move.pe);
  if (!place || !move.source) [[unlikely]]
    return put_elsewhere(call, context, move, returns);
  if (move.bytes == 8)
    std::memcpy(place, move.source, 8);
  else
    std::memcpy(place, move.source, move.bytes);
}

inline void get_bytes(const char *call, ContextState &context, const Move &move, Returns returns) {
  poll_sometimes();
  const char *place = near_place(move.source, move.bytes, move.pe);
  if (!place || !move.dest) [[unlikely]]
    return get_elsewhere(call, context, move, returns);
  if (move.bytes == 8)
    std::memcpy(move.dest, place, 8);
  else
    std::memcpy(move.dest, place, move.bytes);
}

template <class Type>
[[gnu::noinline, gnu::cold]] void put_one_elsewhere(const char *call, ContextState &context, Type *dest, Type value, int pe) {
  put_elsewhere(call, context, {dest, &value, sizeof value, pe}, Returns::when_reusable);
}

template <class Type>
[[gnu::noinline, gnu::cold]] Type get_one_elsewhere(const char *call, ContextState &context, const Type *source, int pe) {
  Type value{};
  get_elsewhere(call, context, {&value, source, sizeof value, pe}, Returns::when_reusable);
  return value;
}

/// One element. A store or load of its size, which another PE sees whole.
template <class Type>
inline void put_one(const char *call, ContextState &context, Type *dest, Type value, int pe) {
  if (char *place = near_element<sizeof value>(dest, pe)) [[likely]]
    *reinterpret_cast<volatile Type *>(place) = value;
  else
    put_one_elsewhere(call, context, dest, value, pe);
}

template <class Type>
inline Type get_one(const char *call, ContextState &context, const Type *source, int pe) {
  poll_sometimes();
  if (const char *place = near_element<sizeof *source>(source, pe)) [[likely]]
    return *reinterpret_cast<const volatile Type *>(place);
  return get_one_elsewhere(call, context, source, pe);
}

}  // namespace halocline::core::shmem
