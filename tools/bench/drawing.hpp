// Tables and numbers for people.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace bench {

using Cells = std::vector<std::string>;

/// A table; the first row is its head, the first and the last column stand to the left.
std::string drawn(const std::vector<Cells> &rows);

std::string number(double value, int digits, const char *unit = "");
/// Three or four significant digits, whatever the size.
std::string significant(double value, const char *unit = "");
/// A number of bytes with a fitting unit.
std::string bytes(double count);

}  // namespace bench
