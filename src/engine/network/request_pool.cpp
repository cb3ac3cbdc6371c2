// Requests that carry messages, and the pool of requests.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/request_pool.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace halocline::core {

void Request::carry(const Message &message, const void *operands, std::int64_t operand_bytes) {
  if (operand_bytes > 0) std::memcpy(this->operands(), operands, static_cast<std::size_t>(operand_bytes));
  carry(message, operand_bytes);
}

void Request::carry(const Message &message, std::int64_t operand_bytes) {
  std::memcpy(room, &message, sizeof message);
  kind = Kind::send;
  from = room;
  desc = room_desc;
  bytes = static_cast<std::int64_t>(sizeof message) + operand_bytes;
}

Status RequestPool::add_chunk() {
  auto chunk = std::make_unique<Chunk>();
  HLC_TRY(chunk->room.open(*common_.endpoint, static_cast<std::int64_t>(kChunk) * Request::kRoom, NetworkSegment::Use::for_me));
  chunks_.push_back(std::move(chunk));
  Chunk &made = *chunks_.back();
  for (std::size_t i = 0; i < kChunk; ++i) {
    Request &request = made.requests[i];
    request.place = static_cast<std::uint32_t>((chunks_.size() - 1) * kChunk + i);
    request.room = made.room.base() + static_cast<std::int64_t>(i) * Request::kRoom;
    request.room_desc = made.room.desc();
    request.owner = common_.owner;
    request.failures = common_.failures;
    request.after = free_;
    free_ = &request;
  }
  return Status::ok;
}

Status RequestPool::add_long_chunk() {
  auto chunk = std::make_unique<LongChunk>();
  HLC_TRY(chunk->memory.open(*common_.endpoint, static_cast<std::int64_t>(kLongChunk) * kMessageRoom, NetworkSegment::Use::for_me));
  long_chunks_.push_back(std::move(chunk));
  LongChunk &made = *long_chunks_.back();
  for (std::size_t i = 0; i < kLongChunk; ++i) {
    made.rooms[i] = {made.memory.base() + static_cast<std::int64_t>(i) * kMessageRoom, made.memory.desc(), free_long_};
    free_long_ = &made.rooms[i];
  }
  return Status::ok;
}

/// Until it is released. The request's own room is in `lent` meanwhile.
void RequestPool::lend_long_room(Request &request) {
  request.lent = std::exchange(free_long_, free_long_->after);
  std::swap(request.room, request.lent->base);
  std::swap(request.room_desc, request.lent->desc);
  request.connection->long_rooms += 1;
}

void RequestPool::take_back_long_room(Request &request) {
  LongRoom &room = *std::exchange(request.lent, nullptr);
  std::swap(request.room, room.base);
  std::swap(request.room_desc, room.desc);
  room.after = std::exchange(free_long_, &room);
  request.connection->long_rooms -= 1;
}

void RequestPool::disown() {
  for (const auto &chunk : chunks_)
    for (Request &request : chunk->requests) {
      request.owner = nullptr;
      common_.endpoint->abandon(request, ECANCELED);
    }
}

bool RequestPool::any_under_way() const {
  // SYNC written-before-reuse (pairs with EndedTransfers::add)
  const auto is_under_way = [](const Request &request) {
    return request.state.load(std::memory_order_acquire) == Transfer::State::under_way;
  };
  return std::any_of(chunks_.begin(), chunks_.end(),
                     [&](const auto &chunk) { return std::any_of(chunk->requests.begin(), chunk->requests.end(), is_under_way); });
}

Request *RequestPool::at(std::uint32_t place) {
  return place < chunks_.size() * kChunk ? &chunks_[place / kChunk]->requests[place % kChunk] : nullptr;
}

bool RequestPool::is_held(const Connection &connection) const {
  for (const auto &chunk : chunks_)
    for (const Request &request : chunk->requests)
      if (request.connection == &connection && request.state.load(std::memory_order_relaxed) == Transfer::State::under_way &&
          !common_.endpoint->waits_for_room(request))
        return true;
  return false;
}

}  // namespace halocline::core
