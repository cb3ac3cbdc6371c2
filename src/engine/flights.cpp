// The pool of flights.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/flights.hpp"

namespace halocline {

Status Flights::add_chunk() {
  auto chunk = std::make_unique<Chunk>();
  HLC_TRY(chunk->room.open(port_, static_cast<std::int64_t>(kChunk) * Flight::kRoom, NetworkSegment::Use::for_me));
  chunks_.push_back(std::move(chunk));
  Chunk &made = *chunks_.back();
  for (std::size_t i = 0; i < kChunk; ++i) {
    Flight &flight = made.flights[i];
    flight.place = static_cast<std::uint32_t>((chunks_.size() - 1) * kChunk + i);
    flight.room = made.room.base() + static_cast<std::int64_t>(i) * Flight::kRoom;
    flight.room_descriptor = made.room.descriptor();
    flight.after = free_;
    free_ = &flight;
  }
  return Status::ok;
}

Flight *Flights::at(std::uint32_t place) {
  return place < chunks_.size() * kChunk ? &chunks_[place / kChunk]->flights[place % kChunk] : nullptr;
}

}  // namespace halocline
