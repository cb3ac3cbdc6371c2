// SPDX-License-Identifier: BSD-3-Clause
#include "library/mesh_part.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>

namespace bench {

namespace {

using Point = std::array<float, 3>;

std::vector<Point> make_points(int side) {
  std::mt19937 random(7);
  std::vector<Point> points(static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  for (std::size_t g = 0; g < points.size(); ++g) {
    std::size_t rest = g;
    for (float &x : points[g]) {
      x = static_cast<float>(rest % static_cast<std::size_t>(side)) + static_cast<float>(random() % 1000) * 8e-4F;
      rest /= static_cast<std::size_t>(side);
    }
  }
  return points;
}

using Nodes = std::vector<std::int64_t>;

/// Gives the nodes [first, last) to ranks from `rank` on: cut across the longest side, in proportion to the ranks of both halves.
void bisect(const std::vector<Point> &points, Nodes::iterator first, Nodes::iterator last, int rank, int ranks, std::vector<int> &owner) {
  if (ranks == 1) {
    for (auto node = first; node != last; ++node) owner[static_cast<std::size_t>(*node)] = rank;
    return;
  }
  Point low = points[static_cast<std::size_t>(*first)], high = low;
  for (auto node = first; node != last; ++node)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], points[static_cast<std::size_t>(*node)][d]);
      high[d] = std::max(high[d], points[static_cast<std::size_t>(*node)][d]);
    }
  std::size_t longest = 0;
  for (std::size_t d = 1; d < 3; ++d)
    if (high[d] - low[d] > high[longest] - low[longest]) longest = d;
  const int half = ranks / 2;
  const auto middle = first + (last - first) * half / ranks;
  std::nth_element(first, middle, last, [&](std::int64_t a, std::int64_t b) {
    return points[static_cast<std::size_t>(a)][longest] < points[static_cast<std::size_t>(b)][longest];
  });
  bisect(points, first, middle, rank, half, owner);
  bisect(points, middle, last, rank + half, ranks - half, owner);
}

/// The place of a lattice node along a Morton curve.
std::uint64_t morton(std::int64_t node, int side) {
  std::uint64_t code = 0;
  for (std::uint64_t d = 0; d < 3; ++d, node /= side)
    for (std::uint64_t bit = 0; bit < 20; ++bit) code |= (static_cast<std::uint64_t>(node % side) >> bit & 1U) << (3 * bit + d);
  return code;
}

/// Calls visit for the nodes that share an edge with one: of a cube cut along its diagonal, those whose offsets all have one sign.
template <class Visit>
void for_each_adjacent(std::int64_t node, int side, Visit visit) {
  const std::int64_t at[3] = {node % side, node / side % side, node / side / side};
  for (int mask = 1; mask < 8; ++mask)
    for (const int sign : {-1, 1}) {
      std::int64_t other[3];
      bool inside = true;
      for (int d = 0; d < 3; ++d) {
        other[d] = at[d] + ((mask >> d & 1) != 0 ? sign : 0);
        inside = inside && other[d] >= 0 && other[d] < side;
      }
      if (inside) visit((other[2] * side + other[1]) * side + other[0]);
    }
}

void sort_unique(Nodes &nodes, int side) {
  std::sort(nodes.begin(), nodes.end(), [side](std::int64_t a, std::int64_t b) { return morton(a, side) < morton(b, side); });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace

MeshPart make_part(int side, int rank, int ranks) {
  const std::vector<Point> points = make_points(side);
  Nodes all(points.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  std::vector<int> owner(points.size());
  bisect(points, all.begin(), all.end(), 0, ranks, owner);

  MeshPart part;
  for (std::size_t g = 0; g < owner.size(); ++g)
    if (owner[g] == rank) part.global.push_back(static_cast<std::int64_t>(g));
  sort_unique(part.global, side);
  part.own = static_cast<std::int64_t>(part.global.size());

  // Own nodes by the rank that needs them, in my order; others' nodes by their rank, in its order.
  std::map<int, MeshNeighbour> shared;
  for (std::int64_t i = 0; i < part.own; ++i)
    for_each_adjacent(part.global[static_cast<std::size_t>(i)], side, [&](std::int64_t other) {
      const int theirs = owner[static_cast<std::size_t>(other)];
      if (theirs == rank) return;
      MeshNeighbour &neighbour = shared[theirs];
      neighbour.rank = theirs;
      if (neighbour.out.empty() || neighbour.out.back() != i) neighbour.out.push_back(i);
      neighbour.in.push_back(other);
    });
  for (auto &[theirs, neighbour] : shared) {
    sort_unique(neighbour.in, side);
    for (std::int64_t &node : neighbour.in) {
      part.global.push_back(node);
      node = static_cast<std::int64_t>(part.global.size()) - 1;
    }
    part.neighbours.push_back(neighbour);
  }
  part.entries = static_cast<std::int64_t>(part.global.size());
  return part;
}

}  // namespace bench
