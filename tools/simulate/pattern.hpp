// The links of each rank: its neighbours, and the bytes for each. Grids of ranks are periodic.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

namespace simulate {

/// A neighbour as one rank sees it. A rank may be its own neighbour, or have another one several times.
struct Link {
  int peer = 0;
  double bytes = 0;  ///< in each direction
};

/// The links of each rank.
using Pattern = std::vector<std::vector<Link>>;

/// A grid of cells, in three dimensions; its last has not been split in halos of columns.
struct HaloProblem {
  std::array<double, 3> local{};  ///< cells of a rank
  std::array<int, 3> ranks{};     ///< of the grid of ranks
  double depth = 1, fields = 1, bytes_per_cell = 8;
  bool corners = true;            ///< a box stencil; a star has faces alone
};

/// So many ranks in `dimensions` dimensions, as equal as they can be, the most in the first (as MPI_Dims_create).
std::array<int, 3> grid_of(int ranks, int dimensions);

/// The links of a halo: along those dimensions that have `split` ranks or that are swapped all the same.
Pattern halo_pattern(const HaloProblem &problem, int dimensions);

/// Bytes of all links of a rank, and of its longest one.
double bytes_of(const std::vector<Link> &links);
double longest_of(const std::vector<Link> &links);

/// Each rank and its `k` next ones in a ring, half of them on each side.
Pattern ring_pattern(int ranks, int k, double bytes);

}  // namespace simulate
