// The pool of replies.
// SPDX-License-Identifier: BSD-3-Clause
#include "helper/replies.hpp"

#include <cstring>

namespace halocline::core {

Status Replies::add_chunk() {
  auto chunk = std::make_unique<Chunk>();
  HLC_TRY(chunk->room.open(endpoint_, static_cast<std::int64_t>(kChunk) * kMessageRoom, NetworkSegment::Use::for_me));
  for (std::size_t i = 0; i < kChunk; ++i) {
    Sent &sent = chunk->replies[i];
    sent.kind = Transfer::Kind::send;
    sent.reported = true;
    sent.from = chunk->room.base() + static_cast<std::int64_t>(i) * kMessageRoom;
    sent.desc = chunk->room.desc();
    free_.push_back(&sent);
  }
  chunks_.push_back(std::move(chunk));
  return Status::ok;
}

Status Replies::take(Transfer **transfer, Reply *reply) {
  if (free_.empty()) HLC_TRY(add_chunk());
  *transfer = free_.back();
  free_.pop_back();
  reply->values = const_cast<char *>((*transfer)->from) + sizeof(Message);
  return Status::ok;
}

Status Replies::send(int rank, const transport::Address &address, const Reply &reply, Transfer &transfer) {
  auto known = peers_.find(rank);
  if (known == peers_.end()) {
    transport::Peer peer{};
    if (const Status resolved = endpoint_.resolve(address, &peer); failed(resolved)) {
      take_back(transfer);
      return resolved;
    }
    known = peers_.emplace(rank, peer).first;
  }
  transfer.peer = known->second;
  transfer.bytes = static_cast<std::int64_t>(sizeof reply.message) + reply.value_bytes;
  std::memcpy(const_cast<char *>(transfer.from), &reply.message, sizeof reply.message);
  endpoint_.start(transfer);
  return Status::ok;
}

}  // namespace halocline::core
