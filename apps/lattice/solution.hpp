// The solution, for those who want to check it with a program of their own.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem.hpp"

namespace lattice {

/// "solution: norm 12.3, sum of its components (4.5, -6.7)": the same on any ranks, but for rounding. Collective.
std::string solution_in_words(const Problem &problem, const Fermion<double> &x);

/// Writes the right-hand side b and the solution x to a file: per field the sites of the whole lattice, x fastest, each with three complex
/// numbers, as IEEE 64-bit numbers of this machine's byte order, without a header. Throws if that fails. Collective; rank 0 holds a whole
/// field.
void write_solution(const std::string &path, const Problem &problem, const Fermion<double> &x);

}  // namespace lattice
