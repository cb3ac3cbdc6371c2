// How the edges of different ranks find each other at creation: lists are compared, sizes checked, addresses handed over. Never later.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "exchange/leg.hpp"

namespace halocline {

/// Joins each of my edges to the peer's edge it belongs to and fills what the peer knows. Collective; the same status on all ranks.
/// HLC_ERR_MISMATCH names both ranks and both sizes. Memory and messages are O(neighbours).
Status join_edges(Plan &plan);

/// Numbers that each side of an edge hands to the other, once: displacements, offsets.
struct Card {
  std::int64_t a = 0, b = 0, c = 0;
};

/// The cards of both sides, indexed as plan.edges; allocated before they are swapped.
struct Cards : Job {
  Cards(const Plan &plan, const std::vector<int> &edges);
  std::vector<Card> mine, theirs;
};

/// Swaps a card over each of the edges. Allocates nothing; if it fails the cards are gone.
Status swap_cards(const Plan &plan, const std::vector<int> &edges, std::unique_ptr<Cards> &cards);

}  // namespace halocline
