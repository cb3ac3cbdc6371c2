// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/block.hpp"

#include <cstdlib>

namespace bench {

Region Block::edge(const Index &v) const {
  Region region = interior();
  for (int d = 0; d < 3; ++d) {
    if (v[d] != 0) region.count[d] = depth[d];
    if (v[d] > 0) region.first[d] = cells[d];
  }
  return region;
}

Region Block::halo(const Index &v) const {
  Region region = interior();
  for (int d = 0; d < 3; ++d) {
    if (v[d] != 0) region.count[d] = depth[d];
    if (v[d] < 0) region.first[d] = 0;
    if (v[d] > 0) region.first[d] = cells[d] + depth[d];
  }
  return region;
}

static bool has_neighbour(const Block &block, const Index &v, bool box) {
  std::int64_t crossed = 0;
  for (int d = 0; d < 3; ++d) {
    if (v[d] != 0 && block.depth[d] == 0) return false;
    crossed += std::abs(v[d]);
  }
  return box ? crossed > 0 : crossed == 1;
}

std::vector<Index> directions(const Block &block, bool box) {
  std::vector<Index> found;
  for (std::int64_t x = -1; x <= 1; ++x)
    for (std::int64_t y = -1; y <= 1; ++y)
      for (std::int64_t z = -1; z <= 1; ++z)
        if (has_neighbour(block, {x, y, z}, box)) found.push_back({x, y, z});
  return found;
}

}  // namespace bench
