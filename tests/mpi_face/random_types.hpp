// Random datatypes for tests: described by a tree, which can be made into a datatype, printed, and shrunk.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace halocline::test {

using Random = std::mt19937_64;

enum class Maker {
  named,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  resized
};

/// A datatype by the call that makes it. `numbers` are the call's arguments but for the types; `large` asks for the call with large counts.
struct TypeSpec {
  Maker maker = Maker::named;
  std::vector<std::int64_t> numbers;
  std::vector<TypeSpec> children;
  bool large = false;

  std::string text() const;
};

/// A datatype, freed at the end. MPI_DATATYPE_NULL if the MPI does not make it.
class Type {
 public:
  explicit Type(const TypeSpec &spec);
  ~Type();
  Type(const Type &) = delete;
  Type &operator=(const Type &) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// The named types that leaves are made of.
const std::vector<MPI_Datatype> &leaf_types();

/// A datatype of at most that many levels; with `leaf` all leaves are that type.
TypeSpec random_type(Random &random, int levels, int leaf = -1);

/// Bytes of data at an offset.
struct Run {
  std::int64_t offset, bytes;
};

/// The runs of one element of the datatype in the order of its type map, as the standard defines each call: slow and obvious.
std::vector<Run> type_map(const TypeSpec &spec);

/// The extent of the datatype, as the MPI says.
std::int64_t extent_of(const TypeSpec &spec);

/// The bounds of `count` elements of the datatype by its type map, and their bytes of data.
struct Span {
  std::int64_t begin = 0, end = 0, bytes = 0;
};
Span span_of(const TypeSpec &spec, std::int64_t count);

/// The smallest type found for which `fails` still holds.
TypeSpec shrink(TypeSpec spec, const std::function<bool(const TypeSpec &)> &fails);

}  // namespace halocline::test
