// Sharing addresses, making connections, and the failures of connections.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/connection_table.hpp"

#include "engine/communicator/collective.hpp"

namespace halocline::core {

/// A rank has its own endpoint, from which it sends queries and at which it receives replies. A helper has one for all queries to its
/// node's ranks.
Status ConnectionTable::share_addresses(const transport::Choice &choice) {
  const RankAddress mine = needs_.liveness.mine();
  if (needs_.communicator.progress() != Progress::helper) return ranks_.share(needs_.communicator, needs_.leaders, mine);
  HLC_TRY(ranks_.share(needs_.communicator, needs_.leaders, mine, ObjectFile::kept));
  HLC_TRY(start_helper(choice));
  ranks_.close_file();
  RankAddress served = mine;
  served.address = helper_->address();
  served.probe = helper_->probe();
  return helper_addresses_.share(needs_.communicator, needs_.leaders, served);
}

Status ConnectionTable::start_helper(const transport::Choice &choice) {
  Communicator &communicator = needs_.communicator;
  std::unique_ptr<Helper> helper;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    helper = std::make_unique<Helper>(communicator);
    return Status::ok;
  }));
  HLC_TRY(helper->start(endpoint(), choice, ranks_.table()));
  helper_ = std::move(helper);
  return Status::ok;
}

Connection *ConnectionTable::find(int rank) {
  const auto known = connections_.find(rank);
  return known == connections_.end() ? nullptr : &known->second;
}

Status ConnectionTable::reach(int rank, Connection **connection) {
  *connection = find(rank);
  if (*connection) return Status::ok;
  Connection met;
  met.rank = rank;
  return alone(needs_.communicator, [&] {
    HLC_TRY(needs_.liveness.know(rank, ranks_.of(rank)));
    if (helper_) HLC_TRY(needs_.liveness.know(rank, helper_addresses_.of(rank), Liveness::Whose::helper));
    HLC_TRY(endpoint().resolve(helper_ ? helper_addresses_.of(rank).address : ranks_.of(rank).address, &met.peer));
    *connection = &connections_.emplace(rank, met).first->second;
    return Status::ok;
  });
}

void ConnectionTable::fail_connection(Connection &connection, int error, const char *call) {
  if (connection.error == 0) failed_ += 1;
  connection.error = error;
  connection.failed_call = call;
}

Status ConnectionTable::failure(const Connection &connection, const char *call) const {
  return fail(Status::peer_died, "%s: rank %d cannot reach %s over the network: %s (in %s)", call, needs_.communicator.rank(),
              name_of(connection.rank).c_str(), endpoint().text_of(connection.error), connection.failed_call);
}

Status ConnectionTable::find_failure(const char *call) const {
  if (failed_ == 0) return Status::ok;
  for (const auto &[rank, connection] : connections_)
    if (connection.error != 0) return failure(connection, call);
  return Status::ok;
}

}  // namespace halocline::core
