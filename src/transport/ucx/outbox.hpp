// Transfers to peers. Each is one active message, and an answer if the origin waits for one. Where a device writes and reads memory of peers, those
// are UCX's puts and gets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "transport/network.hpp"
#include "transport/ucx/arrival.hpp"
#include "transport/ucx/exposed.hpp"
#include "transport/ucx/over.hpp"
#include "transport/ucx/peers.hpp"
#include "transport/ucx/tokens.hpp"

namespace halocline::core::transport::ucx {

struct State;

/// One thread at a time. A transfer is over when all its parts are: the sending, and the answer.
class Outbox {
 public:
  explicit Outbox(Over &over) : over_(over) {}
  void open(const State &state) { state_ = &state; }
  Peers &peers() { return peers_; }

  /// Sends a transfer to its peer. A connection is made if there is none.
  void send(Transfer &transfer);
  /// Answers the sender of a write or a read.
  void reply(const Arrival &arrival, const Answer &answer, const char *bytes, std::size_t count);
  /// An answer has arrived; false if it is malformed, or no transfer waits for it.
  bool take_answer(const Arrival &arrival);
  /// Gives a peer UCX's key of memory; without one if there is no such memory.
  void give_key(const Arrival &arrival, const Exposed &exposed);
  /// UCX's key of a peer's memory has arrived: what has waited for it begins. False if it is malformed, or was not asked for.
  bool take_key(const Arrival &arrival);
  /// A part of a transfer is over.
  void note_part(Transfer &transfer, int error);
  void release(void *request) const;
  /// Closes connections that have an error: the next transfer to such a peer reconnects. Transfers that wait for its answers have failed.
  void part_from_lost();
  /// Closes all connections. What was sent before leaves first, as far as the peers take it.
  void part();

 private:
  void hand_over(Transfer &transfer, Connection &connection);
  void hand_over_one_sided(Transfer &transfer, Connection &connection);
  void put_or_get(Transfer &transfer, Connection &connection, ucp_rkey *key);
  void ask_for_key(std::uint64_t key, const Connection &connection);
  void announce(Transfer &transfer);
  void note_sent(Transfer &transfer, void *sent);
  void send_note(ucp_ep *endpoint, Id id, const void *header, std::size_t header_bytes, const char *bytes, std::size_t count);
  void fail_waiting(RemoteMemory &memory, int error);
  void forget_memory(Connection &connection, int error);

  Over &over_;
  const State *state_ = nullptr;
  Peers peers_;
  Tokens tokens_;  // of transfers that wait for an answer
  std::vector<ucp_rkey *> left_;  // by connections that are closed
};

}  // namespace halocline::core::transport::ucx
