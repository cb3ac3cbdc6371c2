// How the grid is split among ranks: slabs, whose transform has one transpose among all ranks, or pencils, with two among fewer ranks each.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem.hpp"

#include <common/comm.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fft {

/// Rank second * b + a of MPI is rank b of a first group and rank a of a second one. Slabs: all ranks are in one first group.
struct Decomposition {
  bool pencils = false;
  int first = 1, second = 1;  ///< sizes of the groups

  std::string text() const;
};

/// What of this decomposition does not divide the grid; nothing if all is well.
std::optional<std::string> wrong_with(const Decomposition &decomposition, const Size &size);

/// The pencils that are nearest to a square of all ranks; nothing if none divide the grid.
std::optional<Decomposition> pencils_of(int ranks, const Size &size);

/// Ranks that transpose with each other.
struct Group {
  Group(int colour, int key);

  common::Comm comm;
  int rank, size;
  std::vector<int> ranks;  ///< in MPI_COMM_WORLD
};

struct Groups {
  explicit Groups(const Decomposition &decomposition);

  Group first, second;
};

}  // namespace fft
