// Connections to the ranks of other nodes. Each is made at its first use. They record which ranks a request could not reach.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/memory/rank_table.hpp"
#include "engine/network/helper.hpp"
#include "engine/network/shared_endpoint.hpp"

namespace halocline::core {

/// The objects that requests work with.
struct RequestNeeds {
  Communicator &communicator;
  NodeLeaders &leaders;
  SharedEndpoint &shared_endpoint;
  Liveness &liveness;
};

/// The caller holds the lock of the endpoint, except where it says otherwise.
class ConnectionTable {
 public:
  explicit ConnectionTable(const RequestNeeds &needs) : needs_(needs) {}
  ConnectionTable(const ConnectionTable &) = delete;
  ConnectionTable &operator=(const ConnectionTable &) = delete;

  /// Shares the addresses of all ranks. Starts a helper process if one is wanted. Collective over the communicator; without the lock.
  Status share_addresses(const transport::Choice &choice);
  /// The helper process of this node (HALOCLINE_PROGRESS=helper), which knows the addresses of all ranks; null if there is none. Needs no
  /// lock.
  Helper *helper() const { return helper_.get(); }
  /// The name of a rank in messages. Needs no lock.
  std::string name_of(int rank) const { return on_its_host(rank, ranks_.of(rank).host); }

  /// Returns the connection to a rank; makes it at the first use, from which on the rank is probed.
  Status reach(int rank, Connection **connection);
  /// The connection to a rank; null if there is none.
  Connection *find(int rank);
  std::map<int, Connection> &all() { return connections_; }
  /// The context leaves: hands the connections over to those that still use them.
  std::map<int, Connection> take_all() { return std::move(connections_); }

  /// True if a rank, or its helper, has not been reached for a while.
  bool has_lost(int rank) { return needs_.liveness.has_lost(rank, Liveness::kLost_ns); }

  /// A request of `call` has failed: the connection is waited for no longer, and messages name it.
  void fail_connection(Connection &connection, int error, const char *call);
  bool any_failed() const { return failed_ > 0; }
  /// The failure of a connection as a status.
  Status failure(const Connection &connection, const char *call) const;
  /// The failure of the first connection that has failed; ok if none has.
  Status find_failure(const char *call) const;

 private:
  Status start_helper(const transport::Choice &choice);
  NetworkEndpoint &endpoint() const { return needs_.shared_endpoint.endpoint(); }

  RequestNeeds needs_;
  RankTable<RankAddress> ranks_;
  RankTable<RankAddress> helper_addresses_;  // where there are helpers: the ranks are reached there
  std::map<int, Connection> connections_;
  std::unique_ptr<Helper> helper_;
  int failed_ = 0;
};

}  // namespace halocline::core
