// State of a halo whose swaps may use other arrays than the spec's: their addresses, and the memory that the running swap holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "engine/communicator/topology.hpp"

namespace halocline::core {

/// Bytes from the beginning of a neighbour's field to its cells that face me.
struct Reach {
  std::int64_t halo = 0, edge = 0;
};

/// The tables of a halo that can be bound anew.
struct Bindings {
  /// Memory of a rank of the node, held until the swap is over.
  struct Held {
    std::int64_t serial = -1;
    Member member = kNotOnNode;
    char *part = nullptr;
  };
  std::vector<char *> planned;         // per field: the spec's array
  std::vector<char *> wanted;          // per field: the array of the swap that is being started
  std::vector<Reach> reach;            // per path and field
  std::vector<Held> held;              // by the running swap, or by views of the last one
  bool is_read = false;                // a neighbour reads my fields, or I read its
};

}  // namespace halocline::core
