// Joins the edges of different ranks, at creation only: lists are compared, sizes checked, addresses exchanged.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/communicator/collective.hpp"
#include "engine/network/network.hpp"
#include "exchange/channel.hpp"

namespace halocline::core {

/// Joins each of my edges to the peer's edge it belongs to and fills what the peer knows. Collective; the same status on all ranks.
/// HLC_ERR_MISMATCH names both ranks and both sizes. Memory and messages are O(neighbours).
Status join_edges(Plan &plan);

/// Descriptors that each side of an edge sends to the other, once: plain bytes. Indexed as plan.edges; allocated before they are swapped.
template <class AnyDescriptor>
struct DescriptorsOf : Job {
  DescriptorsOf(const Plan &plan, const std::vector<int> &edges) : mine(plan.edges.size()), theirs(plan.edges.size()) {
    requests.resize(2 * edges.size(), MPI_REQUEST_NULL);
  }
  std::vector<AnyDescriptor> mine, theirs;
};

/// Displacements and offsets.
struct Descriptor {
  std::int64_t a = 0, b = 0, c = 0;
};
using Descriptors = DescriptorsOf<Descriptor>;

/// Starts to send a descriptor over an edge, and to receive the peer's.
Status start_descriptor_swap(const Plan &plan, int edge, std::span<const std::byte> mine, std::span<std::byte> theirs,
                             MPI_Request *requests);

/// Swaps a descriptor over each of the edges. Allocates nothing. If it fails, the descriptors are leaked, since MPI may still use them.
template <class AnyDescriptor>
Status swap_descriptors(const Plan &plan, const std::vector<int> &edges, std::unique_ptr<DescriptorsOf<AnyDescriptor>> &descriptors) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto e = static_cast<std::size_t>(edges[i]);
    HLC_TRY(start_descriptor_swap(plan, edges[i], std::as_bytes(std::span(&descriptors->mine[e], 1)),
                                  std::as_writable_bytes(std::span(&descriptors->theirs[e], 1)), &descriptors->requests[2 * i]));
  }
  return await(*plan.communicator, descriptors);
}

}  // namespace halocline::core
