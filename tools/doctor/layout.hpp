// Where the elements of a transfer lie on one side: a datatype, its count, and the same said as runs of bytes, by which every result is
// checked. All layouts of one (base type, number of elements) can be the two sides of one transfer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <utility>
#include <vector>

namespace doctor {

enum class Arrangement { basic, contiguous, vector, indexed, subarray, structure };

const char *name_of(Arrangement arrangement);

/// A predefined type that transfers are made of.
struct Base {
  MPI_Datatype type;
  std::size_t bytes;
  const char *name;
};

/// Bytes without a gap.
struct Run {
  std::size_t offset, bytes;
};

class Layout {
 public:
  /// n elements of a base type, arranged in memory.
  Layout(Arrangement arrangement, const Base &base, int n);
  Layout(Layout &&other) noexcept
      : runs(std::move(other.runs)),
        span(other.span),
        count(other.count),
        type(std::exchange(other.type, MPI_DATATYPE_NULL)),
        derived_(std::exchange(other.derived_, false)) {}
  Layout &operator=(Layout &&) = delete;
  ~Layout();

  std::vector<Run> runs;  ///< in the order in which the elements travel
  std::size_t span = 0;   ///< bytes from the start of the first run to the end of the last
  int count = 1;
  MPI_Datatype type = MPI_DATATYPE_NULL;

 private:
  void add(std::size_t first, std::size_t elements, const Base &base);
  void arrange_indexed(const Base &base, int n);
  void arrange_vector(const Base &base, int n);
  void arrange_subarray(const Base &base, int n);
  void arrange_structure(const Base &base, int n);

  bool derived_ = true;
};

}  // namespace doctor
