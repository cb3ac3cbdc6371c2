// Random lists of entries for index halos, and a slow serial oracle. It computes, from the lists of all ranks, what all memory of a rank
// must hold after a swap. Independent of the library.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "support/cases.hpp"

namespace halocline::test {

/// One entry of a rank's list of neighbours.
struct IndexLink {
  int rank = 0, tag_out = 0, tag_in = 0;
  int number = 0;  ///< of the joined pair
  bool first = false;  ///< which end of it; an entry joined to itself is both
  std::vector<std::int64_t> out, in;
};

/// Where a field of a rank is in its arena.
struct IndexLayout {
  std::int64_t lead = 0, entry = 0, component = 0, bytes = 0;  ///< bytes: of the arena
};

struct IndexFieldShape {
  Kind kind;
  std::int64_t components = 1;
};

/// What the fields of a rank hold, one arena each.
using IndexImage = std::vector<std::vector<std::byte>>;

/// The lists of all ranks.
struct IndexCase {
  std::vector<std::int64_t> entries;  ///< per rank
  std::vector<std::vector<IndexLink>> links;  ///< per rank
  std::vector<IndexFieldShape> fields;
  std::vector<std::vector<IndexLayout>> layouts;  ///< per rank and field

  int ranks() const { return static_cast<int>(entries.size()); }
  /// The list at the other end of one.
  const IndexLink &other_end(int rank, const IndexLink &link) const;
};

/// Everything chosen at random: entries (none on some ranks), lists with repeated entries, and empty ones. Lists name ranks several times,
/// and their own rank. Ghosts are behind the rank's own entries or among them, and layouts differ by rank.
IndexCase random_index_case(int ranks, const std::vector<Kind> &kinds, Random &random);

/// All memory of a rank before a swap: own entries name their writer. In reverse ghosts do too, else they are poison, as is all between.
IndexImage index_before(const IndexCase &of, int rank, int step, bool reverse);
/// The same after a swap of some fields.
IndexImage index_after(const IndexCase &of, int rank, int step, bool reverse, const std::vector<int> &fields);
/// Where an element is in its arena.
std::int64_t element_at(const IndexCase &of, int rank, int field, std::int64_t entry, std::int64_t component);

}  // namespace halocline::test
