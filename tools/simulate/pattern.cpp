// SPDX-License-Identifier: BSD-3-Clause
#include "pattern.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace simulate {

namespace {

using Offset = std::array<int, 3>;

/// The directions of a stencil in so many dimensions.
std::vector<Offset> directions_of(int dimensions, bool corners) {
  std::vector<Offset> all;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        const int steps = std::abs(x) + std::abs(y) + std::abs(z);
        if (steps > 0 && (corners || steps == 1) && (dimensions == 3 || z == 0)) all.push_back({x, y, z});
      }
  return all;
}

int rank_at(const HaloProblem &problem, const Offset &place) {
  int rank = 0;
  for (std::size_t d = 0; d < 3; ++d) rank = rank * problem.ranks[d] + (place[d] + problem.ranks[d]) % problem.ranks[d];
  return rank;
}

double bytes_towards(const HaloProblem &problem, const Offset &direction) {
  double cells = 1;
  for (std::size_t d = 0; d < 3; ++d) cells *= direction[d] != 0 ? problem.depth : problem.local[d];
  return cells * problem.fields * problem.bytes_per_cell;
}

}  // namespace

std::array<int, 3> grid_of(int ranks, int dimensions) {
  std::vector<int> grid(static_cast<std::size_t>(dimensions), 1);
  int left = ranks;
  std::vector<int> factors;
  for (int factor = 2; left > 1; ++factor)
    for (; left % factor == 0; left /= factor) factors.push_back(factor);
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) *std::min_element(grid.begin(), grid.end()) *= *factor;
  std::sort(grid.begin(), grid.end(), std::greater<>());
  std::array<int, 3> all{1, 1, 1};
  std::copy(grid.begin(), grid.end(), all.begin());
  return all;
}

Pattern halo_pattern(const HaloProblem &problem, int dimensions) {
  const std::vector<Offset> directions = directions_of(dimensions, problem.corners);
  Pattern pattern(static_cast<std::size_t>(problem.ranks[0] * problem.ranks[1] * problem.ranks[2]));
  Offset place{};
  for (place[0] = 0; place[0] < problem.ranks[0]; ++place[0])
    for (place[1] = 0; place[1] < problem.ranks[1]; ++place[1])
      for (place[2] = 0; place[2] < problem.ranks[2]; ++place[2]) {
        std::vector<Link> &links = pattern[static_cast<std::size_t>(rank_at(problem, place))];
        for (const Offset &d : directions)
          links.push_back({rank_at(problem, {place[0] + d[0], place[1] + d[1], place[2] + d[2]}), bytes_towards(problem, d)});
      }
  return pattern;
}

double bytes_of(const std::vector<Link> &links) {
  double bytes = 0;
  for (const Link &link : links) bytes += link.bytes;
  return bytes;
}

double longest_of(const std::vector<Link> &links) {
  double bytes = 0;
  for (const Link &link : links) bytes = std::max(bytes, link.bytes);
  return bytes;
}

Pattern ring_pattern(int ranks, int k, double bytes) {
  Pattern pattern(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    for (int step = 1; step <= k / 2; ++step)
      for (const int sign : {1, -1}) pattern[static_cast<std::size_t>(rank)].push_back({(rank + sign * step + ranks) % ranks, bytes});
  return pattern;
}

}  // namespace simulate
