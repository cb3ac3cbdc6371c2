// What the protocols of swaps have in common.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "writer.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace simulate {

/// The halo cells of a rank that is its own neighbour.
inline void copy_own(Writer &w, const std::vector<Link> &links) {
  for (const Link &link : links)
    if (link.peer == w.rank()) w.copy(link.bytes);
}

/// The links to other ranks.
inline std::vector<Link> others(const Writer &w, const std::vector<Link> &links) {
  std::vector<Link> some;
  std::copy_if(links.begin(), links.end(), std::back_inserter(some), [&](const Link &link) { return link.peer != w.rank(); });
  return some;
}

/// The other ranks, each once: the group of PSCW.
inline std::vector<int> ranks_of(const std::vector<Link> &links) {
  std::vector<int> ranks;
  for (const Link &link : links) ranks.push_back(link.peer);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

inline void unpack_all(Writer &w, const std::vector<Link> &links) {
  for (const Link &link : links) w.pack(link.bytes);
}

/// Packs and puts; returns the puts whose remote completion has to be waited for.
inline int pack_and_put(Writer &w, const std::vector<Link> &links) {
  int far = 0;
  for (const Link &link : links) {
    if (link.bytes <= 0) continue;
    w.pack(link.bytes);
    far += w.put(link.peer, link.bytes) ? 1 : 0;
  }
  return far;
}

}  // namespace simulate
