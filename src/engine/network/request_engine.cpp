// Opening, receiving, and flushes, with and without waiting.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/request_engine.hpp"

#include <algorithm>

#include "engine/communicator/collective.hpp"
#include "engine/network/connection_table.hpp"
#include "engine/network/shared_endpoint.hpp"

namespace halocline::core {

RequestEngine::RequestEngine(const RequestNeeds &needs, const transport::Choice &choice, transport::Failures *failures)
    : communicator_(needs.communicator),
      shared_endpoint_(needs.shared_endpoint),
      choice_(choice),
      connections_(needs),
      pending_(needs, *this, connections_, failures),
      queries_(pending_, connections_, needs.communicator.rank(), choice.secret),
      served_(needs, pending_, choice.secret),
      failures_(pending_, connections_) {}

Status RequestEngine::open() {
  if (open_) return Status::ok;
  HLC_TRY(connections_.share_addresses(choice_));
  HLC_TRY(prepare(communicator_, communicator_.comm(), [this] { return shared_endpoint_.open_receive_buffers(); }));
  shared_endpoint_.take_messages();
  open_ = true;
  return Status::ok;
}

void RequestEngine::leave(EndpointUser &user) {
  user.pool = pending_.leave();
  user.connections = connections_.take_all();
}

bool RequestEngine::read(const char *text, std::int64_t bytes) {
  Message message;
  if (!served_.read(text, bytes, &message)) return false;
  const char *const operands = text + sizeof message;
  const std::int64_t operand_bytes = bytes - static_cast<std::int64_t>(sizeof message);
  if (message.kind == Message::Kind::reply) return queries_.take_reply(message, operands, operand_bytes);
  return served_.carry_out(message, operands, operand_bytes);
}

Status RequestEngine::meet(int rank) {
  const auto locked = pending_.lock();
  Connection *connection = nullptr;
  return connections_.reach(rank, &connection);
}

/// Calls each(connection) for the connection to one rank, if there is one, or for all.
template <class Each>
Status RequestEngine::for_connections(int rank, Each each) {
  auto locked = pending_.lock();
  std::map<int, Connection> &all = connections_.all();
  auto next = rank < 0 ? all.begin() : all.find(rank);
  while (next != all.end()) {
    locked = {};
    HLC_TRY(each(next->second));
    if (rank >= 0) return Status::ok;
    locked = pending_.lock();
    ++next;
  }
  return Status::ok;
}

/// Waits until all requests begun so far to the rank of a connection have ended.
static Status wait_for(PendingRequests &pending, const Connection &connection, const char *call) {
  const std::uint64_t end = [&] {
    const auto locked = pending.lock();
    return pending.next_number();
  }();
  return pending.await(call, &connection, connection.rank, [&] { return !connection.oldest || connection.oldest->number >= end; });
}

Status RequestEngine::flush(int rank, const char *call, bool confirm) {
  const auto wait = [&](const Connection &connection) { return wait_for(pending_, connection, call); };
  HLC_TRY(for_connections(rank, wait));
  if (!confirm) return Status::ok;
  HLC_TRY(for_connections(rank, [&](const Connection &connection) { return queries_.ask_to_confirm(connection, call); }));
  return for_connections(rank, wait);
}

/// Usually no accumulate is under way.
Status RequestEngine::give_back_memory(int rank, const char *call, Uses uses) {
  if (uses == Uses::accumulates && !pending_.any_accumulates()) return Status::ok;
  return for_connections(rank, [&](const Connection &connection) {
    const std::size_t &users = uses == Uses::reads         ? connection.reads
                               : uses == Uses::accumulates ? connection.accumulates
                                                           : connection.borrowers;
    const std::uint64_t end = begin_flush(connection.rank, false).end;
    return pending_.await(call, &connection, connection.rank,
                          [&] { return users == 0 || !connection.oldest || connection.oldest->number >= end; });
  });
}

Status RequestEngine::flush_before_notify(int peer, const char *call) {
  const auto wait = [&](const Connection &connection) { return wait_for(pending_, connection, call); };
  HLC_TRY(for_connections(-1, wait));
  const auto is_peer = [=](const Connection &connection) { return connection.rank == peer; };
  HLC_TRY(for_connections(
      -1, [&](const Connection &connection) { return is_peer(connection) ? Status::ok : queries_.ask_to_confirm(connection, call); }));
  return for_connections(-1, [&](const Connection &connection) { return is_peer(connection) ? Status::ok : wait(connection); });
}

Status RequestEngine::confirm_all(const char *call) {
  HLC_TRY(for_connections(-1, [&](const Connection &connection) { return queries_.ask_to_confirm(connection, call, Posts::all); }));
  return for_connections(-1, [&](const Connection &connection) { return wait_for(pending_, connection, call); });
}

Flush RequestEngine::begin_flush(int rank, bool confirm) {
  const auto locked = pending_.lock();
  return {rank, confirm, pending_.next_number()};
}

std::vector<Flush> RequestEngine::begin_flushes(bool confirm) {
  const auto locked = pending_.lock();
  std::vector<Flush> flushes;
  flushes.reserve(connections_.all().size());
  for (const auto &[rank, connection] : connections_.all()) flushes.push_back({rank, confirm, pending_.next_number()});
  return flushes;
}

Status RequestEngine::look(Flush &flush, const char *call) {
  poll();
  return look_polled(flush, call);
}

Status RequestEngine::look_polled(Flush &flush, const char *call) {
  while (true) {
    const Connection *connection = nullptr;
    {
      const auto locked = pending_.lock();
      connection = connections_.find(flush.rank);
      if (!connection) return Status::ok;
      if (connection->error != 0) return connections_.failure(*connection, call);
      flush.progress = connection->progress;
      if (connection->oldest && connection->oldest->number < flush.end) return Status::again;
      if (!flush.confirm) return Status::ok;
      if (!connection->has_room()) return Status::again;
    }
    HLC_TRY(queries_.ask_to_confirm(*connection, call));
    flush = begin_flush(flush.rank, false);
  }
}

Status RequestEngine::flush_outgoing(const char *call) {
  int awaited = -1;
  return pending_.await(call, nullptr, awaited, [&] {
    awaited = pending_.find_under_way(call);
    return awaited < 0 && !pending_.has_replies();
  });
}

Status RequestEngine::test_outgoing(const char *call) {
  poll();
  const auto locked = pending_.lock();
  return pending_.find_under_way(call) < 0 && !pending_.has_replies() ? Status::ok : Status::again;
}

}  // namespace halocline::core
