// SPDX-License-Identifier: BSD-3-Clause
#include "comparison.hpp"

#include "comm.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace common {

std::uint64_t bits(double value) {
  std::uint64_t word;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

static double distance(double value, double right) {
  const double distance = std::abs(value - right);
  return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

std::string hexadecimal(std::uint64_t word) {
  char text[24];
  std::snprintf(text, sizeof text, "%016" PRIx64, word);
  return text;
}

/// All digits of a value, and its bits.
static std::string exactly(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text + (" (0x" + hexadecimal(bits(value)) + ")");
}

Difference compare(MPI_Comm comm, const std::vector<double> &values, const std::vector<double> &right,
                   const std::function<std::string(std::size_t)> &place) {
  Difference all;
  std::optional<std::string> first;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (bits(values[i]) == bits(right[i])) continue;
    all.largest = std::max(all.largest, distance(values[i], right[i]));
    if (all.values++ == 0)
      first = "rank " + std::to_string(rank_of(comm)) + ", " + place(i) + ": " + exactly(values[i]) + ", serially " + exactly(right[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, &all.values, 1, MPI_LONG_LONG, MPI_SUM, comm);
  all.largest = slowest(all.largest, comm);
  all.first = first_said(first, comm).value_or("");
  return all;
}

}  // namespace common
