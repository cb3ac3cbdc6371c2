// Layouts: what a datatype's bytes are, as loops over runs. A vector of 16,000 blocks is one loop of one run, and adjacent runs are one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "faces/mpi/basic.hpp"

namespace halocline::mpi {

/// `count` runs of `bytes` bytes, `stride` bytes apart, the first at `offset`.
struct Strip {
  std::int64_t offset;
  std::int64_t bytes;
  std::int64_t count;
  std::int64_t stride;
};

/// A strip, or, if `end` is not 0, a loop: the steps [first, end) of the same list are done `count` times, `stride` bytes apart. Several
/// loops may have the same body.
struct Step {
  Strip strip;
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

/// Steps in the order of the type map. `top` are the last ones, from which the others are reached.
struct Steps {
  std::vector<Step> all;
  std::uint32_t top = 0;    // index of the first step that is done for one element of the datatype
  std::int64_t extent = 0;  // from one element to the next
  int depth = 0;            // loops within loops
};

/// The bytes that an operation touches, relative to its buffer: [begin, end); both are 0 if there are none.
struct Reach {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

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
  Reach reach_;  // of one element
  Basic basic_ = Basic::none;
  bool contiguous_ = true;
  bool dense_ = true;
};

/// Flattens a datatype. Null if the handle is none, or has a combiner that the standard does not know.
std::shared_ptr<const Layout> flatten(MPI_Datatype type);

}  // namespace halocline::mpi
