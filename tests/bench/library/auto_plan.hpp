// What `halocline_library_bench auto` measures, and in which order.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.hpp>

#include <cstdint>
#include <vector>

namespace bench {

struct AutoShape {
  std::int64_t x, y, z, depth;
  int fields;
  const char *type;
  halocline::Stencil stencil;
  bool split_z;
};
struct AutoLaunch {
  int ranks, nodes;
};
struct Configuration {
  AutoShape shape;
  AutoLaunch launch;
};

/// Every shape on every launch of at most so many ranks, `most` of them. Shapes and launches in turn, so that what is left out, for its number
/// or for lack of time, is of all kinds.
std::vector<Configuration> configurations(int started, int most);

}  // namespace bench
