// The same problem by one process on the whole grid, written as plainly as can be: the reference of all variants. And the comparison.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fields.hpp"

#include <common/comparison.hpp>

namespace ghost {

/// The values of this rank's block after so many steps, variable by variable, x fastest. Each rank computes the whole grid for it.
std::vector<double> serial_run(const Grid &grid, const Options &options);

/// The values of a variant in the same order.
std::vector<double> values_of(const Fields &fields, int variables);

/// A number that depends on every bit of every cell of the whole grid, and on no decomposition. Collective.
std::uint64_t fingerprint(const Grid &grid, const std::vector<double> &values);

/// Compares with serial_run. Collective.
common::Difference difference(const Grid &grid, const std::vector<double> &values, const std::vector<double> &right);

}  // namespace ghost
