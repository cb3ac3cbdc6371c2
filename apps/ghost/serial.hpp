// The same problem by one process on the whole grid, written as plainly as can be: the reference of all variants. And the comparison.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fields.hpp"

#include <string>
#include <vector>

namespace ghost {

/// The values of this rank's block after so many steps, variable by variable, x fastest. Each rank computes the whole grid for it.
std::vector<double> serial_run(const Grid &grid, const Options &options);

/// The values of a variant in the same order.
std::vector<double> values_of(const Fields &fields, int variables);

/// A number that depends on every bit of every cell of the whole grid, and on no decomposition. Collective.
std::uint64_t fingerprint(const Grid &grid, const std::vector<double> &values);

/// Cells of all ranks whose bits differ, and a sentence about the first one of the lowest rank that has any. Collective.
struct Difference {
  long long cells = 0;
  std::string first;
};
Difference difference(const Grid &grid, const std::vector<double> &values, const std::vector<double> &right);

}  // namespace ghost
