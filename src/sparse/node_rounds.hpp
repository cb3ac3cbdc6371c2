// The rounds in which counts travel. Those between nodes are first: each is to the rank of the same number on another node. Those within each
// node follow. So as few messages as possible follow each other between nodes. Both parts are disseminations (engine/sync/dissemination.hpp).
//
// What is for a target goes up in the rounds that the distance to it needs, which are its binary digits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "engine/sync/dissemination.hpp"

namespace halocline::core {

/// The rounds as one rank sees them, where each of `nodes` has the same number of ranks, numbered one node after the other. Elsewhere each
/// rank is taken for a node.
class NodeRounds {
 public:
  NodeRounds() : NodeRounds(0, 1, 1) {}
  NodeRounds(int rank, int nodes, int ranks_per_node)
      : node_(rank / ranks_per_node),
        member_(rank % ranks_per_node),
        nodes_(nodes),
        members_(ranks_per_node),
        between_(node_, nodes),
        within_(member_, ranks_per_node) {}

  int rounds() const { return between_.rounds() + within_.rounds(); }
  /// The rank that is notified in a round.
  int above(int round) const {
    return is_between(round) ? between_.above(round) * members_ + member_ : node_ * members_ + within_.above(round - between_.rounds());
  }
  /// The rank that is waited for.
  int below(int round) const {
    return is_between(round) ? between_.below(round) * members_ + member_ : node_ * members_ + within_.below(round - between_.rounds());
  }
  /// The round between nodes in which a rank is the one above; -1 if there is none.
  int round_to(int rank) const {
    for (int round = 0; is_between(round); ++round)
      if (above(round) == rank) return round;
    return -1;
  }
  /// Whether what is for `target`, and is here before this round, goes up in it.
  bool goes_up(int target, int round) const {
    if (is_between(round)) return digit(target / members_ - node_, nodes_, round);
    return digit(target % members_ - member_, members_, round - between_.rounds());
  }
  /// For how many ranks there can be something at one rank before a round. It is from 2^round ranks at most.
  std::int64_t most_targets(int round) const {
    if (is_between(round)) return std::int64_t{left(nodes_, round)} * members_;
    return left(members_, round - between_.rounds());
  }

 private:
  bool is_between(int round) const { return round < between_.rounds(); }
  static bool digit(int distance, int count, int place) { return ((distance + count) % count >> place & 1) != 0; }
  static int left(int count, int place) { return ((count - 1) >> place) + 1; }

  int node_, member_, nodes_, members_;
  Dissemination between_, within_;
};

}  // namespace halocline::core
