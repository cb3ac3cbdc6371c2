// Nonblocking tests, for callers with a time limit of their own: of replies, room, and the end of what has been sent.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/request_engine.hpp"

namespace halocline::core {

Status RequestEngine::find_room(int rank, const char *call) {
  if (time_to_take_back()) poll();
  Connection *connection = nullptr;
  const auto locked = lock();
  HLC_TRY(reach_for(rank, call, &connection));
  return connection->in_use < kMostRequests ? Status::ok : Status::again;
}

Status RequestEngine::look(Query &query, int rank, const char *call, const Message &message, std::uint64_t *reply) {
  if (!query.request) {
    if (const Status room = find_room(rank, call); room != Status::ok) return room;
    Request *request = nullptr;
    HLC_TRY(begin(rank, call, &request));
    write_query(*request, message, nullptr, 0);
    request->held = true;
    query.request = request;
    start(*request);
  }
  poll();
  const auto locked = lock();
  const Request &request = *query.request;
  if (request.awaited > 0 && request.connection->error == 0) return Status::again;
  const bool answered = request.awaited == 0 && request.error == 0;
  *reply = request.reply;
  const Status status = answered ? Status::ok : failure(*request.connection, call);
  abandon(query);
  return status;
}

void RequestEngine::abandon(Query &query) {
  Request &request = *query.request;
  query.request = nullptr;
  request.held = false;
  if (request.awaited == 0) pool_.release(request);
}

void RequestEngine::forget(Query &query) {
  const auto locked = lock();
  if (query.request) abandon(query);
}

std::vector<Flush> RequestEngine::begin_flushes(bool confirm) {
  const auto locked = lock();
  std::vector<Flush> flushes;
  flushes.reserve(connections_.size());
  for (const auto &[rank, connection] : connections_) flushes.push_back({rank, confirm, begun_});
  return flushes;
}

Status RequestEngine::test_outgoing(const char *call) {
  poll();
  const auto locked = lock();
  return find_under_way(call) < 0 && replies_ == 0 ? Status::ok : Status::again;
}

}  // namespace halocline::core
