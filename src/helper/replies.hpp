// Answers on their way from the helper to those who have asked.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "engine/network/service.hpp"

namespace halocline {

/// Without limit: whoever asks has one.
class Replies {
 public:
  explicit Replies(NetworkEndpoint &endpoint) : endpoint_(endpoint) {}

  /// Sends an reply to a rank, whose address this is.
  Status send(int rank, const transport::Address &address, const Message &message);
  /// A transfer that has ended, be it well or not: who does not hear its reply is gone.
  void take_back(Transfer &transfer) { free_.push_back(static_cast<Reply *>(&transfer)); }

 private:
  static constexpr std::size_t kChunk = 64;
  struct Reply : Transfer {};
  struct Chunk {
    std::array<Reply, kChunk> replies;
    NetworkSegment room;
  };

  Status add_chunk();

  NetworkEndpoint &endpoint_;
  std::map<int, transport::Peer> peers_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Reply *> free_;
};

}  // namespace halocline
