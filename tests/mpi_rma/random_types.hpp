// Random MPI datatypes whose type map is known: where each basic element is, in the order of the type map.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <random>
#include <vector>

namespace random_rma {

using Random = std::mt19937_64;

/// A number from `low` to `high`, both included.
inline std::int64_t pick(Random &random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}
inline bool chance(Random &random, int percent) { return pick(random, 1, 100) <= percent; }

/// The numbers that the programs compute with.
enum class Basic : int { int8, uint8, int16, int32, uint32, int64, uint64, float32, float64, count_ };

MPI_Datatype handle_of(Basic basic);
int bytes_of(Basic basic);

/// How elements are laid out; `make` turns it into a datatype. The plan of a round is made without MPI, the same on all ranks.
enum class Shape : int {
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  subarray,
  resized,
  structure,
  nested,
  backwards,
  count_
};

struct Layout {
  Basic basic = Basic::int64;
  Shape shape = Shape::contiguous;
  int count = 1;  // elements of the datatype in the call
  std::vector<int> numbers;  // what the shape's constructor needs
  std::vector<std::int64_t> offsets;  // of each basic element, in bytes, in the order of the type map; the least is 0
  std::int64_t bytes = 0;  // from 0 to the end of the last element
  std::int64_t origin = 0;  // of the buffer address that the call is given, relative to offset 0
};

/// A layout of exactly `elements` elements of `basic`, no two of which overlap.
Layout random_layout(Random &random, Basic basic, int elements);

/// Builds and commits the datatype of a layout, and frees it at the end. Predefined types are not freed.
class Datatype {
 public:
  explicit Datatype(const Layout &layout);
  ~Datatype();
  Datatype(const Datatype &) = delete;
  Datatype &operator=(const Datatype &) = delete;
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_;
  bool derived_ = true;
};

const char *name_of(Shape shape);
const char *name_of(Basic basic);

}  // namespace random_rma
