// Tables and numbers for people.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace common {

using Cells = std::vector<std::string>;

/// A table; the first row is its head, the first and the last column stand to the left.
std::string drawn(const std::vector<Cells> &rows);

std::string number(double value, int digits, const char *unit = "");
/// Three or four significant digits, whatever the size.
std::string significant(double value, const char *unit = "");
/// The median, and in parentheses the least and the most.
std::string spread(const std::vector<double> &values, int digits);
/// A number of bytes with a fitting unit.
std::string bytes(double count);

}  // namespace common
