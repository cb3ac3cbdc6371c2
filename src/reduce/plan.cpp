// The sizes of chunks; README.md says how they were found.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/plan.hpp"

#include <algorithm>

namespace halocline::core {
namespace {

constexpr std::int64_t kRow = 512 << 10;  // bytes of a row of chunks, at most
constexpr std::int64_t kLeastOnNode = 4 << 10, kLeastOnRing = 64 << 10;  // bytes of a chunk, where there is a choice
constexpr std::int64_t kSlotsOfLane =
    4 << 20;  // bytes of a lane's slots for another node's chunks, at most, if chunks of kLeastOnNode allow it
// Slots of the same kind have at least this many bytes together, as far as kMaxSlots allows. Rewriting what another core still has in its
// innermost cache takes twice as long.
constexpr std::int64_t kTurn = 128 << 10;
constexpr std::int64_t kLeastSlots = 3, kMaxSlots = 64;
constexpr std::int64_t kEven = 64;  // chunks of at least this many elements are a multiple of it, so that all begin on a cache line

std::int64_t divided(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

Cut Cut::of(std::int64_t count, std::int64_t element_bytes, int nodes, int lanes) {
  Cut cut{count, element_bytes, nodes, lanes, 1, 0};
  const std::int64_t part = divided(count, nodes);
  const bool ring = nodes > 1;
  std::int64_t most = kRow / lanes;
  if (ring) most = std::min(most, kSlotsOfLane / (static_cast<std::int64_t>(kAhead + 1) * cut.sends()));
  most = std::max(most, kLeastOnNode);
  const std::int64_t least = std::min(ring ? kLeastOnRing : kLeastOnNode, most);
  const std::int64_t wanted = divided(part, lanes) * element_bytes;
  cut.chunk = std::max<std::int64_t>(1, std::min(part, std::clamp(wanted, least, most) / element_bytes));
  if (cut.chunk >= kEven) cut.chunk = round_up(cut.chunk, kEven);
  cut.rounds = divided(part, cut.chunk * lanes);
  return cut;
}

Range Cut::chunk_of(std::int64_t round, int p, int lane) const {
  const Range whole = part(p);
  const std::int64_t before = (round * lanes + lane) * chunk;
  return {whole.first + before, std::clamp<std::int64_t>(whole.count - before, 0, chunk)};
}

std::int64_t Cut::chunks() const {
  std::int64_t chunks = 0;
  for (std::int64_t round = 0; round < rounds; ++round)
    for (int p = 0; p < nodes; ++p)
      for (int lane = 0; lane < lanes; ++lane) chunks += chunk_of(round, p, lane).count > 0 ? 1 : 0;
  return chunks;
}

Layout Layout::of(std::int64_t chunk_bytes, int lanes, int members, int slots) {
  const std::int64_t row = std::max<std::int64_t>(chunk_bytes * lanes, 1);
  const auto turns = static_cast<int>(std::clamp(divided(kTurn, row), kLeastSlots, kMaxSlots));
  return {chunk_bytes, lanes, members, slots, turns, turns + 1};
}

/// There are slots for two runs: each lane sends one message in each run.
Layout Layout::of_packs(std::int64_t pack_bytes, std::int64_t given_bytes, int members, int nodes) {
  int most = 0;
  for (int step = 0; step < doubling_steps(nodes); ++step) most = std::max(most, packs_of_step(nodes, step));
  Layout layout{most * round_up(pack_bytes, 64), doubling_steps(nodes), members, 2, kPackTurns, kPackTurns};
  layout.pack_bytes = round_up(pack_bytes, 64);
  layout.given_bytes = round_up(given_bytes, 64);
  layout.packs = nodes;
  return layout;
}

}  // namespace halocline::core
