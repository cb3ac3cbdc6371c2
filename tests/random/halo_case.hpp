// Reads the halos of a scenario: the oracle's case, what a swap moves, and the specs that are wrong.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "random/player.hpp"
#include "support/oracle.hpp"

namespace halocline::test {

Case read_case(const Json &halo);

/// An hlc_swap with the list that it points to.
struct Swap {
  std::vector<int> fields;
  std::vector<int> with;  // the set of arrays of each field, -1: NULL, which stands for the spec's. Empty: the swap has none
  hlc_swap what{};

  explicit Swap(const Json &swap);
  /// The swapped fields whose arrays are those of a set; the spec's set is 0.
  std::vector<int> fields_of(int set, int nfields) const;
  Swap(const Swap &) = delete;
  Swap &operator=(const Swap &) = delete;
};

/// An hlc_halo_spec with all that it points to, for one rank.
struct OwnedSpec {
  hlc_grid grid{};
  std::vector<hlc_field> fields;
  std::vector<int> table;
  std::vector<unsigned char> fills;
  std::vector<hlc_field_shape> shapes;
  hlc_halo_spec spec{};
};

/// Makes one thing of the spec wrong, as {"name": ..., "index": ..., "value": ...} says.
void spoil(OwnedSpec &owned, const Json &wrong);

}  // namespace halocline::test
