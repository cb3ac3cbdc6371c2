// SPDX-License-Identifier: BSD-3-Clause
#include "solution.hpp"

#include <common/comm.hpp>
#include <common/replace_file.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <optional>
#include <stdexcept>

namespace lattice {
namespace {

constexpr std::size_t kNumbers = 6;  // of a site

/// Calls f(number of the site in the whole lattice, its value) for the sites of this rank.
template <class F>
void for_values(const Problem &problem, const Fermion<double> &field, F f) {
  const Geometry &geometry = problem.geometry;
  for (int parity = 0; parity < 2; ++parity)
    for (std::int64_t i = 0; i < geometry.half(); ++i)
      f(static_cast<std::size_t>(geometry.block().global_number(geometry.site(parity, i))), field[parity][static_cast<std::size_t>(i)]);
}

/// A whole field on rank 0; empty on all others. Each site is summed with zeros of all other ranks, a piece at a time.
std::vector<double> gathered(const Problem &problem, const Fermion<double> &field) {
  std::vector<double> all(kNumbers * static_cast<std::size_t>(volume(problem.geometry.block().global)));
  for_values(problem, field, [&](std::size_t site, const Vector<double> &v) {
    for (std::size_t c = 0; c < 3; ++c) all[kNumbers * site + 2 * c] = v.c[c].re, all[kNumbers * site + 2 * c + 1] = v.c[c].im;
  });
  const bool is_root = problem.context.rank() == 0;
  constexpr std::size_t kMax = std::size_t{1} << 24;
  for (std::size_t at = 0; at < all.size(); at += kMax) {
    const auto count = static_cast<int>(std::min(kMax, all.size() - at));
    MPI_Reduce(is_root ? MPI_IN_PLACE : &all[at], &all[at], count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  if (!is_root) all.clear();
  return all;
}

void write_fields(const std::string &path, const std::vector<double> &b, const std::vector<double> &x) {
  common::replace_file(path, [&](const std::string &name) {
    std::ofstream file(name, std::ios::binary);
    for (const std::vector<double> *field : {&b, &x})
      file.write(reinterpret_cast<const char *>(field->data()), static_cast<std::streamsize>(field->size() * sizeof(double)));
    file.close();
    if (!file) throw std::runtime_error("it cannot be written");
  });
}

}  // namespace

std::string solution_in_words(const Problem &problem, const Fermion<double> &x) {
  double sums[2]{};
  for_values(problem, x, [&](std::size_t, const Vector<double> &v) {
    for (const Complex<double> &component : v.c) sums[0] += component.re, sums[1] += component.im;
  });
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  char text[120];
  std::snprintf(text, sizeof text, "solution: norm %.12g, sum of its components (%.12g, %.12g)\n", std::sqrt(norm2(x)), sums[0], sums[1]);
  return text;
}

void write_solution(const std::string &path, const Problem &problem, const Fermion<double> &x) {
  const std::vector<double> b = gathered(problem, problem.b), solution = gathered(problem, x);
  std::optional<std::string> wrong;
  if (problem.context.rank() == 0) try {
      write_fields(path, b, solution);
    } catch (const std::exception &error) {
      wrong = error.what();
    }
  if (const auto why = common::first_said(wrong, MPI_COMM_WORLD)) throw std::runtime_error("--solution " + path + ": " + *why);
}

}  // namespace lattice
