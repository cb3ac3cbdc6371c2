// The pool of replies.
// SPDX-License-Identifier: BSD-3-Clause
#include "helper/replies.hpp"

#include <cstring>

namespace halocline::core {

Status Replies::add_chunk() {
  auto chunk = std::make_unique<Chunk>();
  HLC_TRY(chunk->room.open(endpoint_, static_cast<std::int64_t>(kChunk * sizeof(Message)), NetworkSegment::Use::for_me));
  for (std::size_t i = 0; i < kChunk; ++i) {
    Reply &reply = chunk->replies[i];
    reply.kind = Transfer::Kind::send;
    reply.reported = true;
    reply.from = chunk->room.base() + i * sizeof(Message);
    reply.bytes = sizeof(Message);
    reply.desc = chunk->room.desc();
    free_.push_back(&reply);
  }
  chunks_.push_back(std::move(chunk));
  return Status::ok;
}

Status Replies::send(int rank, const transport::Address &address, const Message &message) {
  auto known = peers_.find(rank);
  if (known == peers_.end()) {
    transport::Peer peer{};
    HLC_TRY(endpoint_.resolve(address, &peer));
    known = peers_.emplace(rank, peer).first;
  }
  if (free_.empty()) HLC_TRY(add_chunk());
  Reply &reply = *free_.back();
  free_.pop_back();
  reply.peer = known->second;
  std::memcpy(const_cast<char *>(reply.from), &message, sizeof message);
  endpoint_.start(reply);
  return Status::ok;
}

}  // namespace halocline::core
