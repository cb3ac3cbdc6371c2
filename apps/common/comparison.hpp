// Comparison with a serial run, bit by bit.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace common {

/// How the values of all ranks differ from the right ones.
struct Difference {
  long long values = 0;  ///< whose bits differ
  double largest = 0;    ///< difference of any value; infinite if one is no number
  std::string first;     ///< of the lowest rank that has any: rank, place, what it has, and what is right
};

/// place(i) says where value i of this rank lies, as "variable 0, cell (1, 2, 3)". Collective.
Difference compare(MPI_Comm comm, const std::vector<double> &values, const std::vector<double> &right,
                   const std::function<std::string(std::size_t)> &place);

/// The bits of a value, and how fingerprints and such are printed.
std::uint64_t bits(double value);
std::string hexadecimal(std::uint64_t word);

}  // namespace common
