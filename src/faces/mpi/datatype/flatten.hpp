// Layouts: what a datatype's bytes are, as loops over runs. A vector of 16,000 blocks is one loop of one run, and adjacent runs are one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "faces/mpi/datatype/elements.hpp"

namespace halocline::mpi {

/// What a datatype's elements consist of. Immutable; any thread may read it.
class Layout : public std::enable_shared_from_this<Layout> {
 public:
  /// Bytes of data of one element (MPI_Type_size), and the distance from one element to the next.
  std::int64_t bytes() const { return bytes_; }
  std::int64_t extent() const { return steps_.extent; }
  /// True if any number of elements is one run that begins at the buffer's address.
  bool contiguous() const { return contiguous_; }
  /// The same of elements with the gaps inside them, so that the operations take them as one row.
  bool dense() const { return dense_; }
  /// The basic type of all data, or Basic::mixed, or Basic::none.
  Basic basic() const { return basic_; }
  /// How many of that there are in one element.
  std::int64_t basics() const { return basics_; }
  /// The largest power of two, at most 64, that divides all offsets and strides of the basic elements.
  std::int64_t alignment() const { return alignment_; }
  Reach reach(std::int64_t count) const;
  /// False if that many elements are too many bytes, or reach too far, to be counted in 64 bits: MPI_ERR_COUNT.
  bool can_count(std::int64_t count) const { return count <= most_; }

  /// The runs of data; for pairs, `elements` has each pair as one run with the gaps inside it.
  const Steps &steps() const { return steps_; }
  const Steps &elements() const { return elements_.all.empty() ? steps_ : elements_; }

 private:
  friend class Flattener;
  Steps steps_;
  Steps elements_;  // only where it differs from steps_
  std::int64_t bytes_ = 0;
  std::int64_t basics_ = 0;
  std::int64_t alignment_ = 64;
  std::int64_t most_ = 0;  // elements
  Reach reach_;  // of one element
  Basic basic_ = Basic::none;
  bool contiguous_ = true;
  bool dense_ = true;
};

/// Flattens a datatype. Null if the handle is invalid, or has a combiner that the standard does not know.
std::shared_ptr<const Layout> flatten(MPI_Datatype type);

}  // namespace halocline::mpi
