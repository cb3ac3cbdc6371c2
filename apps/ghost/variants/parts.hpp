// What variants have in common: the memory of a rank with what carries data to other nodes, and ghost cells.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "variants/variant.hpp"

namespace ghost {

/// The neighbours that are where `wanted` says, in order of their directions.
std::vector<Link> links_to(const Grid &grid, Where wanted);

/// Memory whose parts hold counters, fields, and buffers for what carries them; and that carrier.
struct SharedParts {
  std::unique_ptr<Memory> memory;
  std::unique_ptr<Far> far;
};
SharedParts make_shared_parts(const Setup &setup, const Fields::Kind &kind, Carrier carrier, Send send);

/// The fields in a shared part.
inline Fields shared_fields(std::byte *part, const Index &cells, const Fields::Kind &kind) { return {part + kCountersBytes, cells, kind}; }

/// Ghost cells that no other rank fills: constants beyond open sides, once and for all.
void fill_ghosts(const Fields &fields, const Grid &grid, int variables);
/// Ghost cells that face the rank itself.
void copy_self(const Fields &fields, const Grid &grid, int variable);

/// Packs and sends, link by link, so that one message travels while the next one is packed.
void pack_and_send(Far &far, const std::vector<Link> &links, const Fields &fields, int variable);
/// Unpacks into the ghost cells in order of arrival.
void unpack_arrivals(Far &far, const std::vector<Link> &links, const Fields &fields, int variable);

}  // namespace ghost
