// A mesh of tetrahedra, split over the ranks: the nodes of a lattice whose cubes are cut into six tetrahedra each, moved out of their places at
// random, and divided by recursive coordinate bisection.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace bench {

/// What a rank shares with another: nodes that the other needs of it, and nodes that it needs of the other.
struct MeshNeighbour {
  int rank = 0;
  std::vector<std::int64_t> out, in;
};

/// The nodes of a rank: its own, numbered along a Morton curve, then ghosts, which are all nodes that share an edge with one of its own.
struct MeshPart {
  std::int64_t own = 0, entries = 0;
  std::vector<MeshNeighbour> neighbours;
  std::vector<std::int64_t> global;  ///< per entry: the node's number in the whole mesh
};

/// side: nodes along each side of the lattice. Local and deterministic: every rank makes the whole mesh and keeps its part.
MeshPart make_part(int side, int rank, int ranks);

}  // namespace bench
