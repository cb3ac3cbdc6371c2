// Coefficients that are 0 or more and make the sum of absolute relative errors least.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace bench {

/// Row i of the table has one value per coefficient; the coefficients are to make each row's sum 1.
using Table = std::vector<std::vector<double>>;

/// An error is the logarithm of a row's sum, without its sign: twice too much counts as half of it. Errors below 1 % count by their square,
/// others as they are (Huber), by least squares with weights, again and again.
std::vector<double> nonnegative_fit(const Table &table, int rounds = 40);

/// What `nonnegative_fit` makes least, per row: the mean error of these coefficients.
double mean_error(const Table &table, const std::vector<double> &coefficients);

}  // namespace bench
