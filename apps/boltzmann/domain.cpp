// SPDX-License-Identifier: BSD-3-Clause
#include "domain.hpp"

#include <algorithm>

namespace boltzmann {
namespace {

/// With --local as many ranks as possible along x, then y, z: planes across x are contiguous.
std::vector<int> ranks_of(const halocline::Context &context, const Options &options) {
  if (!options.global.empty()) return options.ranks;
  std::vector<int> dims = options.ranks;
  std::int64_t fixed = 1;
  for (const int ranks : dims) fixed = std::min<std::int64_t>(fixed * std::max(ranks, 1), INT32_MAX);
  if (context.size() % fixed != 0 || (fixed != context.size() && std::find(dims.begin(), dims.end(), 0) == dims.end()))
    throw halocline::Error(HLC_ERR_ARGUMENT, "--ranks does not fit " + std::to_string(context.size()) + " ranks");
  MPI_Dims_create(context.size(), kDims, dims.data());
  return dims;
}

halocline::Grid grid_of(const halocline::Context &context, const Options &options) {
  const std::vector<int> ranks = ranks_of(context, options);
  std::vector<std::int64_t> sites(kDims);
  std::vector<int> periodic(kDims);
  for (std::size_t d = 0; d < kDims; ++d) {
    sites[d] = options.global.empty() ? options.local[d] * ranks[d] : options.global[d];
    periodic[d] = options.walls[d] == 0;
  }
  return halocline::Grid(context, sites, periodic, ranks);
}

}  // namespace

Domain::Domain(const halocline::Context &context, const Options &options) : cells_(grid_of(context, options)) {
  for (int d = 0; d < kDims; ++d) {
    const auto at = static_cast<std::size_t>(d);
    n_[at] = cells_.local(d);
    start_[at] = cells_.start(d);
    global_[at] = cells_.global(d);
    split_[at] = cells_.ranks(d) > 1;
    wall_[at] = options.walls[at] != 0;
    depth_[at] = split_[at] ? 1 : 0;
    ends_[at] = {wall_[at] && cells_.coord(d) == 0, wall_[at] && cells_.coord(d) == cells_.ranks(d) - 1};
  }
  for (const std::size_t d : {std::size_t{0}, std::size_t{2}})
    if (options.problem == "taylor_green" && global_[d] == 1)
      throw halocline::Error(HLC_ERR_ARGUMENT,
                             std::string("--problem taylor_green has its vortices in the plane of x and z: 1 site along ") + "xyz"[d] +
                                 " is too few, use at least 2");
}

Domain Domain::alone() const {
  Domain made = *this;
  for (std::size_t d = 0; d < kDims; ++d) {
    made.split_[d] = false;
    made.wall_[d] = ends_[d][0] && ends_[d][1];
    made.ends_[d] = {made.wall_[d], made.wall_[d]};
  }
  return made;
}

}  // namespace boltzmann
