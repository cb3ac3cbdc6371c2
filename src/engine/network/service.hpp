// Carries out queries of ranks of other nodes, for what a write or a read cannot do. They act on memory that is served here: a rank's own
// or, in a helper process, that of all ranks of its node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/network/message.hpp"
#include "engine/network/network_transport.hpp"
#include "engine/network/packed_service.hpp"
#include "engine/network/served.hpp"

namespace halocline::core {

/// A query for memory whose lock another rank of the node held, with its operands.
struct PutOff {
  Message message;
  std::vector<char> operands;
};

/// Accepts only messages with the job's secret. A query acts only within the segment that it names. One thread at a time.
class Service {
 public:
  Service(std::uint64_t secret, int ranks) : secret_(secret), ranks_(ranks) {}

  /// Carries out queries for a segment of a rank from now on.
  void serve(int rank, std::uint32_t segment, const Served &memory) { served_[{rank, segment}] = memory; }
  void stop_serving(int rank, std::uint32_t segment) { served_.erase({rank, segment}); }

  /// False for what is not a message of the job.
  bool read(const char *text, std::int64_t bytes, Message *message) const;
  /// True for a query that is carried out after those of its rank that were put off.
  static bool is_in_order(const Message &query) { return query.kind != Message::Kind::notify && query.kind != Message::Kind::confirm; }
  /// Carries out a query, whose operands follow it, and writes its reply. Of several atomics all are carried out or none.
  Outcome carry_out(const Message &query, const char *operands, std::int64_t bytes, Reply *reply) const;

 private:
  Outcome do_as_asked(const Message &query, const char *operands, std::int64_t bytes, Reply *reply) const;
  bool put_and_combine(const Served &memory, const Message &query, const char *operands, std::int64_t bytes) const;

  std::uint64_t secret_;
  int ranks_;
  std::map<std::pair<int, std::uint32_t>, Served> served_;
};

/// The buffers in which messages of other ranks arrive.
class ReceiveBuffers {
 public:
  static constexpr std::size_t kBuffers = 64;
  static constexpr std::int64_t kRoom = kMessageRoom, kBytes = static_cast<std::int64_t>(kBuffers) * kRoom;

  /// Allocates and registers the memory.
  Status open(NetworkEndpoint &endpoint);
  /// Receives messages from now on; each is reported as a transfer that has ended, and is to be started again when it has been read.
  void receive();
  /// Posts a buffer again, after its message has been read.
  void receive_again(Transfer &buffer);
  bool is_open() const { return endpoint_ != nullptr; }

 private:
  NetworkEndpoint *endpoint_ = nullptr;
  std::array<Transfer, kBuffers> buffers_;
  NetworkSegment room_;
};

}  // namespace halocline::core
