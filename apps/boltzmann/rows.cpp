// SPDX-License-Identifier: BSD-3-Clause
#include "rows.hpp"

#include <algorithm>

namespace boltzmann {
namespace {

/// A coordinate in the block, or beside it. side: -1 or 1 where another rank has the site.
struct Found {
  std::int64_t at;
  int side;
  bool in_wall;
};

Found find(const Domain &domain, int d, std::int64_t at) {
  if (at >= 0 && at < domain.n(d)) return {at, 0, false};
  const int side = at < 0 ? -1 : 1;
  if (domain.wraps(d)) return {at < 0 ? domain.n(d) - 1 : 0, 0, false};
  if (domain.ends_in_wall(d, side)) return {at - side, 0, true};
  return {at, side, false};
}

}  // namespace

void pull(const Swap &swap, int turn, int base, int i, std::int64_t x, std::int64_t y, double *to) {
  const Domain &domain = swap.domain();
  const int(&c)[kDims] = kC[i];
  const std::int64_t n = domain.n(2);
  const double *turned = swap.place(turn, base + opposite(i), direction(0, 0, 0)).at(x, y, 0);
  const Found fx = find(domain, 0, x - c[0]), fy = find(domain, 1, y - c[1]);
  if (fx.in_wall || fy.in_wall) {
    std::copy(turned, turned + n, to);
    return;
  }
  const double *row = swap.place(turn, base + i, direction(fx.side, fy.side, 0)).at(fx.at, fy.at, 0);
  if (c[2] == 0) {
    std::copy(row, row + n, to);
    return;
  }
  const std::int64_t end = c[2] > 0 ? 0 : n - 1;
  const Found fz = find(domain, 2, end - c[2]);
  if (c[2] > 0)
    std::copy(row, row + n - 1, to + 1);
  else
    std::copy(row + 1, row + n, to);
  to[end] = fz.in_wall ? turned[end] : *swap.place(turn, base + i, direction(fx.side, fy.side, fz.side)).at(fx.at, fy.at, fz.at);
}

void read(const Swap &swap, int turn, int component, std::int64_t x, std::int64_t y, double *to) {
  const Domain &domain = swap.domain();
  const std::int64_t n = domain.n(2);
  const Found fx = find(domain, 0, x), fy = find(domain, 1, y);
  const double *row = swap.place(turn, component, direction(fx.side, fy.side, 0)).at(fx.at, fy.at, 0);
  std::copy(row, row + n, to + 1);
  for (const std::int64_t z : {std::int64_t{-1}, n}) {
    const Found fz = find(domain, 2, z);
    to[z + 1] = *swap.place(turn, component, direction(fx.side, fy.side, fz.side)).at(fx.at, fy.at, fz.at);
  }
}

}  // namespace boltzmann
