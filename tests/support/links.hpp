// Matching lists of neighbours for the exchange, of all ranks; and self-describing bytes for each entry.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "support/cases.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {

/// Two joined entries: one sends bytes from a to b with the tag 2 * tag, the other from b to a with the next tag. A link of a rank with
/// itself is one entry.
struct Link {
  int a = 0, b = 0, tag = 0;
  std::int64_t bytes_ab = 0, bytes_ba = 0;
};

/// One entry of this rank's list, with the link that it belongs to.
struct Entry {
  hlc_neighbour neighbour;
  int link;
};

/// Random links between `ranks` ranks: repeated pairs, the caller itself, zero bytes and unequal sizes all occur.
inline std::vector<Link> random_links(int ranks, int count, Random &random) {
  const std::int64_t sizes[] = {0, 1, 7, 8, 63, 64, 65, 1000, 4096, 30000};
  std::vector<Link> links;
  for (int i = 0; i < count; ++i) {
    Link link;
    link.a = static_cast<int>(between(random, 0, ranks - 1));
    link.b = static_cast<int>(between(random, 0, ranks - 1));
    link.tag = i;
    link.bytes_ab = sizes[between(random, 0, 9)];
    link.bytes_ba = link.a == link.b ? link.bytes_ab : sizes[between(random, 0, 9)];
    links.push_back(link);
  }
  return links;
}

/// The list of a rank, shuffled, differently on each.
inline std::vector<Entry> entries_of(int rank, const std::vector<Link> &links) {
  std::vector<Entry> entries;
  for (int i = 0; i < static_cast<int>(links.size()); ++i) {
    const Link &link = links[static_cast<std::size_t>(i)];
    const int there = 2 * link.tag, back = link.a == link.b ? there : there + 1;
    if (link.a == rank)
      entries.push_back({{link.b, there, back, link.bytes_ab, link.bytes_ba}, i});
    else if (link.b == rank)
      entries.push_back({{link.a, back, there, link.bytes_ba, link.bytes_ab}, i});
  }
  const auto key = [rank](const Entry &entry) {
    return mixed(static_cast<std::uint64_t>(entry.neighbour.rank) * 1000 + static_cast<std::uint64_t>(entry.neighbour.tag_out) * 100000 +
                 static_cast<std::uint64_t>(rank));
  };
  std::stable_sort(entries.begin(), entries.end(), [&](const Entry &x, const Entry &y) { return key(x) < key(y); });
  return entries;
}

/// The byte that a rank sends over a link at a place in a step.
inline std::byte link_byte(int sender, int link, std::int64_t place, int step) {
  return static_cast<std::byte>(hash({sender, link, {place / 8, step}, step}) >> (place % 8 * 8));
}

}  // namespace halocline::test
