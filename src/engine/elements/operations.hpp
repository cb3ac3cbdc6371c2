// The operations of accumulates on rows of elements: loops that the compiler vectorises, and the same element by element with the processor's
// atomic instructions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include <cstdint>

#include "engine/elements/basic.hpp"
#include "engine/elements/operation.hpp"

namespace halocline::core::elements {

/// One operation on one type. Requires is_defined.
class Applier {
 public:
  Applier(Accumulate how, Basic type);

  std::int64_t element_bytes() const { return bytes_; }
  void apply(const Row &row) const;
  /// The same for runs of `bytes` bytes, each of which has elements one after the other on all sides. The strides are those of the runs.
  void apply_runs(std::int64_t bytes, const Row &runs) const;

 private:
  void apply_exclusive(const Row &row) const;
  void apply_atomic(const Row &row) const;

  Operation op_;
  Access access_;
  Basic type_;
  std::int64_t bytes_;
};

/// True if MPI defines the operation for the type (MPI 4.1, section 6.9.2; MPI_REPLACE and MPI_NO_OP for all elements).
bool is_defined(Operation op, Basic type);

/// The engine's action that does the operation on elements of the type; its op or its type is ..._COUNT_ where there is none.
hlc_action engine_action(Operation op, Basic type);

/// Copies the data of one element, and not its gaps.
void copy_element(Basic type, char *to, const char *from);

/// Copies elements of a fixed size; `count` of them.
struct Strided {
  char *to;
  const char *from;
  std::int64_t to_stride;
  std::int64_t from_stride;
};
void copy_strided(const Strided &where, std::int64_t bytes, std::int64_t count);

/// Copies `count` runs of whole elements, `bytes` bytes each, and not the gaps of the elements.
void copy_runs(Basic type, const Strided &where, std::int64_t bytes, std::int64_t count);

/// Elements of at most that many bytes can be changed atomically, if they are aligned to their size.
std::int64_t longest_atomic();

/// Compares and swaps one element of 1, 2, 4, 8 or 16 bytes.
void swap_element(Access access, std::int64_t bytes, void *target, const Swap &values);

}  // namespace halocline::core::elements
