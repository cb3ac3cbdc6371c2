// How the edges of different ranks find each other at creation: lists are compared, sizes checked, addresses handed over. Never later.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "exchange/leg.hpp"

namespace halocline {

/// Joins each of my edges to the peer's edge it belongs to and fills what the peer knows. Collective; the same status on all ranks.
/// HLC_ERR_MISMATCH names both ranks and both sizes. Memory and messages are O(neighbours).
Status join_edges(Plan &plan);

/// Cards that each side of an edge hands to the other, once: plain bytes. Indexed as plan.edges; allocated before they are swapped.
template <class AnyCard>
struct CardsOf : Job {
  CardsOf(const Plan &plan, const std::vector<int> &edges) : mine(plan.edges.size()), theirs(plan.edges.size()) {
    requests.resize(2 * edges.size(), MPI_REQUEST_NULL);
  }
  std::vector<AnyCard> mine, theirs;
};

/// Displacements and offsets.
struct Card {
  std::int64_t a = 0, b = 0, c = 0;
};
using Cards = CardsOf<Card>;

/// Starts to send one card over an edge, and to receive the other's.
Status start_card_swap(const Plan &plan, int edge, std::pair<const void *, void *> cards, std::size_t bytes, MPI_Request *requests);

/// Swaps a card over each of the edges. Allocates nothing; if it fails the cards are gone.
template <class AnyCard>
Status swap_cards(const Plan &plan, const std::vector<int> &edges, std::unique_ptr<CardsOf<AnyCard>> &cards) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto e = static_cast<std::size_t>(edges[i]);
    HLC_TRY(start_card_swap(plan, edges[i], {&cards->mine[e], &cards->theirs[e]}, sizeof(AnyCard), &cards->requests[2 * i]));
  }
  return await(*plan.context, cards);
}

}  // namespace halocline
