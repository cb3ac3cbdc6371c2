// The options of `halocline-bench mesh`.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct MeshOptions {
  std::vector<int> sides{12, 24, 48, 80};  ///< nodes along each side of the mesh
  std::vector<int> components{1, 5};
  std::vector<std::string> modes{"direct", "notify", "p2p"};
  int repetitions = 25;
  double sample_ms = 4;
  std::uint64_t seed = 1;
  std::string json;
};

}  // namespace bench
