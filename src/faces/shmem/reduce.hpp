// Reductions of the members of a collective call. Every element is combined once, in the order of the members: the same bits on all PEs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>

#include "base/operators.hpp"
#include "faces/shmem/channel.hpp"
#include "faces/shmem/move.hpp"

namespace halocline::core::shmem {

enum class Operation { band, bor, bxor, max, min, sum, prod };

/// Combines count elements: values[i] becomes values[i] o others[i].
struct Combination {
  void (*combine)(void *values, const void *others, std::size_t count);
  std::size_t element_bytes;
};

template <class Operator, class T>
void combine_elements(void *values, const void *others, std::size_t count) {
  auto *__restrict left = static_cast<T *>(values);
  const auto *__restrict right = static_cast<const T *>(others);
  for (std::size_t i = 0; i < count; ++i) left[i] = Operator::of(left[i], right[i]);
}

template <class T>
constexpr Combination reduction_of(Operation operation) {
  using namespace operators;  // NOLINT(google-build-using-namespace): one vocabulary
  if constexpr (Integer<T>) {
    if (operation == Operation::band) return {combine_elements<BitAnd, T>, sizeof(T)};
    if (operation == Operation::bor) return {combine_elements<BitOr, T>, sizeof(T)};
    if (operation == Operation::bxor) return {combine_elements<BitXor, T>, sizeof(T)};
  }
  if constexpr (requires(T a) { a < a; }) {
    if (operation == Operation::max) return {combine_elements<Greatest, T>, sizeof(T)};
    if (operation == Operation::min) return {combine_elements<Least, T>, sizeof(T)};
  }
  return operation == Operation::prod ? Combination{combine_elements<Product, T>, sizeof(T)}
                                      : Combination{combine_elements<Sum, T>, sizeof(T)};
}

/// source is symmetric, and dest, too, unless it has at most kSmallReduction bytes. They may be the same.
struct Reduction {
  Combination combination;
  const void *source;
  void *dest;
  std::size_t count;

  std::size_t bytes() const { return bytes_of(count, combination.element_bytes); }
};

inline constexpr std::size_t kSmallReduction = 2048;

void reduce_members(const Collective &collective, const Reduction &reduction);

}  // namespace halocline::core::shmem
