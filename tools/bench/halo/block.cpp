// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/block.hpp"

#include <cstdlib>
#include <cstring>

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

void copy_self(const Block &block, const std::vector<SelfCopy> &copies, const std::vector<char *> &fields) {
  for (const SelfCopy &copy : copies) {
    const std::int64_t dx = copy.from.first[0] - copy.to.first[0], dy = copy.from.first[1] - copy.to.first[1];
    const std::size_t run = static_cast<std::size_t>(copy.to.count[2]) * block.element_bytes;
    for (char *field : fields)
      for_each_column(copy.to, [&](std::int64_t x, std::int64_t y) {
        std::memcpy(field + block.offset(x, y, copy.to.first[2]), field + block.offset(x + dx, y + dy, copy.from.first[2]), run);
      });
  }
}

}  // namespace bench
