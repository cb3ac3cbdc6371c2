// Replies under way from the helper to the ranks that sent the queries.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "engine/network/service.hpp"

namespace halocline::core {

/// The pool has no limit: the ranks that send queries have one.
class Replies {
 public:
  explicit Replies(NetworkEndpoint &endpoint) : endpoint_(endpoint) {}

  /// Takes a transfer for a reply, whose values are written where they are sent from.
  Status take(Transfer **transfer, Reply *reply);
  /// Sends it to a rank, whose address this is.
  Status send(int rank, const transport::Address &address, const Reply &reply, Transfer &transfer);
  /// Takes a transfer that has ended, also if it failed: a rank that does not receive its reply is lost.
  void take_back(Transfer &transfer) { free_.push_back(static_cast<Sent *>(&transfer)); }

 private:
  static constexpr std::size_t kChunk = 16;
  struct Sent : Transfer {};
  struct Chunk {
    std::array<Sent, kChunk> replies;
    NetworkSegment room;
  };

  Status add_chunk();

  NetworkEndpoint &endpoint_;
  std::map<int, transport::Peer> peers_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Sent *> free_;
};

}  // namespace halocline::core
