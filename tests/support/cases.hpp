// Builders of cases for the oracle: decompositions of any number of ranks, element kinds, and the layouts that stencil codes use.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>

#include "support/oracle.hpp"

namespace halocline::test {

using Random = std::mt19937_64;

/// A whole number from low to high, both included; the same on every standard library.
std::int64_t between(Random &random, std::int64_t low, std::int64_t high);

/// An element type with its bytes.
struct Kind {
  hlc_type type;
  std::size_t bytes;
};

inline constexpr Kind float64{HLC_FLOAT64, 8};

/// Opaque elements of 1 to 16 bytes, odd sizes included, and every type.
const std::vector<Kind> &all_kinds();

/// The types that a reverse swap can add.
const std::vector<Kind> &summable_kinds();

/// Ranks along each dimension: the prime factors of `ranks`, spread as evenly as possible.
std::array<int, HLC_MAX_DIMS> spread(int ranks, int ndims);

/// Even sizes of blocks.
struct Extents {
  std::int64_t smallest, largest;
};

/// Splits a grid over ranks into blocks of random extents. `periodic` has bit d set for a periodic dimension d.
Decomposition decompose(int ranks, int ndims, Extents extents, unsigned periodic, Random &random);

using Shapes = std::function<std::vector<FieldShape>(const Case &, int rank)>;

/// Each field in an arena of its own, contiguous in the case's layout, strides left to the library.
Shapes contiguous(std::vector<Kind> kinds);

/// Each field in an arena of its own that starts with `lead` unused bytes; every stride has `gap` elements more than needed. The
/// dimensions grow slower in the order given.
Shapes padded(std::vector<Kind> kinds, std::array<int, HLC_MAX_DIMS> order, int gap, std::int64_t lead);

/// All fields in one arena, as members of a packed struct per cell with `gap` unused bytes behind each member.
Shapes array_of_structs(std::vector<Kind> kinds, std::int64_t gap);

/// A case with float64 fields, box stencil and equal depth on all sides.
Case plain_case(std::string name, Decomposition decomposition, std::int64_t depth, int nfields = 1);

/// A case in which everything is chosen at random, depths no larger than the smallest block. Its fields have elements of some of these kinds.
Case random_case(int ranks, Random &random, const std::vector<Kind> &among = all_kinds());

/// The same with fields in cells and on nodes, some of them with depths of their own.
Case staggered_case(int ranks, Random &random, const std::vector<Kind> &among = all_kinds());

}  // namespace halocline::test
