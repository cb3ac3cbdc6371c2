// Sending queries, and taking their replies.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/request_queries.hpp"

#include <cstring>

#include "engine/network/connection_table.hpp"

namespace halocline::core {
namespace {

/// True for messages that change memory, and that no caller awaits.
bool changes_memory(Message::Kind kind) {
  switch (kind) {
    case Message::Kind::accumulate:
    case Message::Kind::scatter:
    case Message::Kind::change:
    case Message::Kind::fetch:
    case Message::Kind::swap: return true;
    default: return false;
  }
}

}  // namespace

Message RequestQueries::addressed(const Request &request, const Message &message) const {
  Message addressed = message;
  addressed.secret = secret_;
  addressed.origin = rank_;
  addressed.target = request.connection->rank;
  addressed.request = request.place;
  addressed.use = request.use;
  return addressed;
}

void RequestQueries::write(Request &request, Message message, const void *operands, std::int64_t bytes) const {
  request.carry(addressed(request, message), operands, bytes);
  await_reply_of(request, message);
}

void RequestQueries::await_reply_of(Request &request, const Message &message) {
  request.is_silent = message.silent != 0;
  request.accumulates = changes_memory(message.kind);
  request.awaits_reply = !request.is_silent;
  request.awaited = request.awaits_reply ? 2 : 1;
}

Status RequestQueries::send_query(int rank, const char *call, const Message &message, const void *operands, std::int64_t bytes) {
  auto locked = pending_.lock();
  Request *request = nullptr;
  HLC_TRY(pending_.take(rank, call, locked, &request, Request::room_for(static_cast<std::int64_t>(sizeof message) + bytes)));
  write(*request, message, operands, bytes);
  pending_.start(*request);
  return Status::ok;
}

Status RequestQueries::send_silent(int rank, const char *call, const Message &message, const void *operands, std::int64_t bytes) {
  Message silent = message;
  silent.silent = pending_.keeps_order() ? 1 : 0;
  return send_query(rank, call, silent, operands, bytes);
}

Status RequestQueries::take(int rank, const char *call, Room room, Request **request) {
  auto locked = pending_.lock();
  return pending_.take(rank, call, locked, request, room);
}

Status RequestQueries::start_taken(Request &request, const Message &message, std::int64_t operand_bytes) {
  Message sent = addressed(request, message);
  if (!pending_.keeps_order()) sent.silent = 0;
  request.carry(sent, operand_bytes);
  await_reply_of(request, sent);
  request.borrows = request.unpacking.bytes > 0 || request.tail_bytes > 0;
  const auto locked = pending_.lock();
  return pending_.start_taken(request);
}

void RequestQueries::give_back(Request &request) {
  const auto locked = pending_.lock();
  pending_.release(request);
}

Status RequestQueries::ask_to_confirm(const Connection &connection, const char *call, Posts posts) {
  auto locked = pending_.lock();
  if (connection.confirmed >= (posts == Posts::all ? connection.posted : connection.written)) return Status::ok;
  Request *request = nullptr;
  HLC_TRY(pending_.take(connection.rank, call, locked, &request));
  Message message;
  message.kind = Message::Kind::confirm;
  write(*request, message, nullptr, 0);
  // SYNC announced-before-confirmed (pairs with do_as_asked): these posts ended before the query starts.
  request->confirms = PendingRequests::ended_posts(connection);
  pending_.start(*request);
  return Status::ok;
}

/// The caller releases the request after the reply.
Status RequestQueries::start_held(int rank, const char *call, const Message &message, const AtomicsQuery &several, Request **request) {
  auto locked = pending_.lock();
  HLC_TRY(pending_.take(rank, call, locked, request));
  write(**request, message, several.words.data(), static_cast<std::int64_t>(several.words.size_bytes()));
  (*request)->held = true;
  (*request)->listed_atomics = several.olds.size();
  (*request)->olds = several.olds.data();
  pending_.start(**request);
  return Status::ok;
}

Status RequestQueries::ask(int rank, const char *call, const Message &message, std::uint64_t *reply) {
  Query query;
  HLC_TRY(start_held(rank, call, message, {}, &query.request));
  const Request &request = *query.request;
  const Status status = pending_.await(call, request.connection, rank, [&request] { return request.awaited == 0; });
  const auto locked = pending_.lock();
  *reply = request.reply;
  abandon(query);
  return status;
}

Status RequestQueries::look(Query &query, int rank, const char *call, const Message &message, std::uint64_t *reply) {
  if (!query.request) {
    if (const Status room = pending_.find_room(rank, call); room != Status::ok) return room;
    HLC_TRY(start_held(rank, call, message, {}, &query.request));
  }
  pending_.poll();
  return test(query, call, reply);
}

Status RequestQueries::start(Query &query, int rank, const char *call, const Message &message, const AtomicsQuery &several) {
  if (const Status room = pending_.find_room(rank, call); room != Status::ok) return room;
  return start_held(rank, call, message, several, &query.request);
}

Status RequestQueries::test(Query &query, const char *call, std::uint64_t *reply) {
  const auto locked = pending_.lock();
  const Request &request = *query.request;
  if (request.awaited > 0 && request.connection->error == 0) return Status::again;
  const bool answered = request.awaited == 0 && request.error == 0;
  *reply = request.reply;
  const Status status = answered ? Status::ok : connections_.failure(*request.connection, call);
  abandon(query);
  return status;
}

/// The request is released here, or when it ends.
void RequestQueries::abandon(Query &query) {
  Request &request = *query.request;
  query.request = nullptr;
  request.held = false;
  request.olds = nullptr;
  if (request.awaited == 0) pending_.release(request);
}

void RequestQueries::forget(Query &query) {
  const auto locked = pending_.lock();
  if (query.request) abandon(query);
}

/// A late reply to an abandoned request names a use that is over. A second reply, or one to a request that is not a query, is ignored: the
/// provider may still hold the request. So is a reply with another number of values.
bool RequestQueries::take_reply(const Message &message, const char *olds, std::int64_t bytes) {
  Request *const found = pending_.pool().at(message.request);
  if (!found || found->use != message.use || !found->awaits_reply || found->connection->rank != message.origin) return false;
  Request &request = *found;
  const bool unpacks = request.unpacking.bytes > 0;
  const std::size_t old_bytes = request.listed_atomics * sizeof(std::uint64_t);
  if (bytes != (unpacks ? request.unpacking.bytes : static_cast<std::int64_t>(old_bytes))) return false;
  if (unpacks) request.unpacking.unpack(olds);
  if (old_bytes > 0 && request.olds) std::memcpy(request.olds, olds, old_bytes);
  request.awaits_reply = false;
  request.reply = message.operand;
  request.connection->confirmed = std::max(request.connection->confirmed, request.confirms);
  pending_.settle(request);
  return true;
}

}  // namespace halocline::core
