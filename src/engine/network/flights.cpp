// The pool of flights.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/flights.hpp"

#include <algorithm>
#include <cerrno>

namespace halocline {

Status Flights::add_chunk() {
  auto chunk = std::make_unique<Chunk>();
  HLC_TRY(chunk->room.open(*common_.port, static_cast<std::int64_t>(kChunk) * Flight::kRoom, NetworkSegment::Use::for_me));
  chunks_.push_back(std::move(chunk));
  Chunk &made = *chunks_.back();
  for (std::size_t i = 0; i < kChunk; ++i) {
    Flight &flight = made.flights[i];
    flight.place = static_cast<std::uint32_t>((chunks_.size() - 1) * kChunk + i);
    flight.room = made.room.base() + static_cast<std::int64_t>(i) * Flight::kRoom;
    flight.room_descriptor = made.room.descriptor();
    flight.owner = common_.owner;
    flight.failures = common_.failures;
    flight.after = free_;
    free_ = &flight;
  }
  return Status::ok;
}

void Flights::disown() {
  for (const auto &chunk : chunks_)
    for (Flight &flight : chunk->flights) {
      flight.owner = nullptr;
      common_.port->give_up(flight, ECANCELED);
    }
}

bool Flights::any_under_way() const {
  // SYNC written-before-reuse (pairs with EndedTransfers::add)
  const auto is_under_way = [](const Flight &flight) { return flight.state.load(std::memory_order_acquire) == Transfer::State::under_way; };
  return std::any_of(chunks_.begin(), chunks_.end(),
                     [&](const auto &chunk) { return std::any_of(chunk->flights.begin(), chunk->flights.end(), is_under_way); });
}

Flight *Flights::at(std::uint32_t place) {
  return place < chunks_.size() * kChunk ? &chunks_[place / kChunk]->flights[place % kChunk] : nullptr;
}

}  // namespace halocline
