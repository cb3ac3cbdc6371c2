// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition.hpp"

#include <cmath>

namespace fft {
namespace {

MPI_Comm split(int colour, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, colour, key, &part);
  return part;
}

/// A direction and the group that has to divide it.
struct Division {
  const char *name;
  int points, ranks;
};

std::vector<Division> divisions_of(const Decomposition &d, const Size &size) {
  if (!d.pencils) return {{"y", size.y, d.first}, {"z", size.z, d.first}};
  return {{"x", size.x, d.first}, {"y", size.y, d.first}, {"x", size.x, d.second}, {"z", size.z, d.second}};
}

}  // namespace

std::string Decomposition::text() const {
  return pencils ? "pencils of " + std::to_string(first) + " x " + std::to_string(second) + " ranks" : "slabs";
}

std::optional<std::string> wrong_with(const Decomposition &decomposition, const Size &size) {
  for (const Division &one : divisions_of(decomposition, size))
    if (one.points % one.ranks != 0)
      return decomposition.text() + " of " + text_of(size) + " points need a divisor of the " + std::to_string(one.points) + " points in " +
             one.name + ", and " + std::to_string(one.ranks) + " is none";
  return {};
}

std::optional<Decomposition> pencils_of(int ranks, const Size &size) {
  for (int second = static_cast<int>(std::sqrt(ranks)); second >= 1; --second) {
    const Decomposition pencils{true, ranks / second, second};
    if (ranks % second == 0 && !wrong_with(pencils, size)) return pencils;
  }
  return {};
}

Group::Group(int colour, int key) : comm(split(colour, key)), rank(common::rank_of(comm)), size(common::size_of(comm)) {
  const int mine = common::rank_of(MPI_COMM_WORLD);
  ranks.resize(static_cast<std::size_t>(size));
  MPI_Allgather(&mine, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm);
}

static int number_in(const Decomposition &decomposition, bool first) {
  const int rank = common::rank_of(MPI_COMM_WORLD);
  return first ? rank / decomposition.second : rank % decomposition.second;
}

Groups::Groups(const Decomposition &decomposition)
    : first(number_in(decomposition, false), number_in(decomposition, true)),
      second(number_in(decomposition, true), number_in(decomposition, false)) {}

}  // namespace fft
