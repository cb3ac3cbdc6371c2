// The options of `halocline-bench mesh`.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/common_options.hpp"

namespace bench {

struct MeshOptions : CommonOptions {
  std::vector<int> sides{12, 24, 48, 80};  ///< nodes along each side of the mesh
  std::vector<int> components{1, 5};
  std::vector<std::string> modes{"direct", "notify", "p2p"};
};

}  // namespace bench
