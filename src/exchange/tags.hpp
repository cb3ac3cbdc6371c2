// The rule for lists of neighbours: entries for one rank have different tags.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <utility>

#include "base/status.hpp"

namespace halocline::core {

/// Two entries for one rank with the same tag would differ only in their order. Two sides of a ring of one or two ranks would then be joined
/// wrongly. `Neighbour` has rank, tag_out and tag_in.
template <class Neighbour>
Status check_tags(const char *call, int rank, const Neighbour *neighbours, int count) {
  for (const auto &[name, tag] : {std::pair{"tag_out", &Neighbour::tag_out}, std::pair{"tag_in", &Neighbour::tag_in}}) {
    std::map<std::pair<int, int>, int> first;
    for (int i = 0; i < count; ++i) {
      const Neighbour &n = neighbours[i];
      const auto [before, is_new] = first.insert({{n.rank, n.*tag}, i});
      if (!is_new)
        return fail(Status::argument,
                    "%s on rank %d: neighbours[%d] and neighbours[%d] both have rank %d and %s %d; entries for one rank need different "
                    "tags: number the sides, tag_out is the number of this side, tag_in that of the side it faces",
                    call, rank, before->second, i, n.rank, name, n.*tag);
    }
  }
  return Status::ok;
}

}  // namespace halocline::core
