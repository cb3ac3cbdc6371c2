// The peers of a UCX worker. UCX's endpoint for a peer is made at the first transfer to it. It is kept until this process's endpoint closes, as
// answers to the peer may use the same connection.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "transport/network.hpp"

struct ucp_ep;
struct ucp_rkey;

namespace halocline::core::transport::ucx {

struct State;

class Peers;

/// Memory of a peer that UCX writes and reads.
struct RemoteMemory {
  ucp_rkey *key = nullptr;  // null: it has been asked for
  Transfer *waiting = nullptr;  // for the key, linked by `next`
};

/// A peer, and UCX's endpoint for it.
struct Connection {
  Peers *peers = nullptr;
  Peer peer = 0;
  Address address;
  int users = 0;  // how often it has been resolved
  ucp_ep *endpoint = nullptr;  // null: not connected
  std::uint64_t stream = 0;  // drawn when it is made
  std::uint64_t sent = 0;  // writes and messages since
  std::unordered_map<std::uint64_t, RemoteMemory> memory;  // by our key
  bool is_lost = false;  // UCX has reported an error of the connection
  int error = 0;  // that error, or UCX's refusal to connect
  std::int64_t again_ns = 0, pause_ns = 0;  // after a refusal: the time of the next try, and how long it was put off
};

/// One thread at a time.
class Peers {
 public:
  Peer resolve(const Address &address);
  /// Returns the peer if this was its last release.
  std::optional<Peer> release(const Address &address);
  std::optional<Peer> release(Peer peer);

  /// The connection to a peer that has been resolved, which is made if there is none. Null if UCX refuses; *error is set.
  Connection *reach(const State &state, Peer peer, int *error);
  /// The connection of a peer, if there is one.
  Connection *find(Peer peer) { return peer == 0 || peer > connections_.size() ? nullptr : connections_[peer - 1].get(); }
  /// Calls with(connection) for each connection that is lost.
  template <class With>
  void take_lost(With with) {
    if (!any_lost_) return;
    any_lost_ = false;
    for (const auto &connection : connections_)
      if (connection->is_lost) with(*connection);
  }
  void note_lost() { any_lost_ = true; }
  const std::vector<std::unique_ptr<Connection>> &all() const { return connections_; }

 private:
  std::map<Address, Peer> known_;
  std::vector<std::unique_ptr<Connection>> connections_;  // peer n is entry n - 1
  bool any_lost_ = false;
};

}  // namespace halocline::core::transport::ucx
