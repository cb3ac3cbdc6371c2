// Starting requests, and detecting their end. Everything happens under the endpoint's lock, which is taken only if the endpoint was opened
// for many threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/pending_requests.hpp"

#include <cerrno>
#include <cstring>

#include "engine/communicator/collective.hpp"
#include "engine/network/connection_table.hpp"

namespace halocline::core {
namespace {

constexpr std::size_t kTakeBackEvery = 32;

/// True if a write's completion says that it has left, or that its bytes have arrived, but not that its notification is set.
bool is_posted_write(const Request &request) {
  return request.kind == Transfer::Kind::write || request.kind == Transfer::Kind::write_with_immediate ||
         request.kind == Transfer::Kind::write_delivered_with_immediate;
}

/// A single short put is acknowledged by the network. Of a row all others are confirmed by one query.
Transfer::Kind kind_of(const NetworkOperation &operation, const Connection &connection) {
  const bool is_single = !connection.oldest && connection.confirmed >= connection.written;
  return operation.kind == Transfer::Kind::write && !operation.is_announced && is_single ? Transfer::Kind::write_delivered : operation.kind;
}

bool reads_into_caller(const Request &request) { return request.kind == Transfer::Kind::read || request.unpacking.bytes > 0; }

bool is_post(const Request &request) { return request.is_silent || is_posted_write(request); }

Status reach(ConnectionTable &connections, int rank, const char *call, Connection **connection) {
  HLC_TRY(connections.reach(rank, connection));
  return (*connection)->error != 0 ? connections.failure(**connection, call) : Status::ok;
}

}  // namespace

PendingRequests::PendingRequests(const RequestNeeds &needs, EndpointClient &client, ConnectionTable &connections,
                                 transport::Failures *failures)
    : communicator_(needs.communicator),
      shared_endpoint_(needs.shared_endpoint),
      client_(client),
      connections_(connections),
      endpoint_(needs.shared_endpoint.endpoint()),
      pool_({&endpoint_, this, failures}) {}

std::unique_lock<OptionalMutex> PendingRequests::lock() { return shared_endpoint_.lock(); }

bool PendingRequests::poll() { return shared_endpoint_.poll_for(&client_); }

Status PendingRequests::failure(const Connection &connection, const char *call) { return connections_.failure(connection, call); }

RequestPool PendingRequests::leave() {
  pool_.disown();
  return std::move(pool_);
}

Status PendingRequests::post(const char *call, const NetworkOperation &operation) {
  auto locked = lock();
  Request *request = nullptr;
  HLC_TRY(take(operation.rank, call, locked, &request));
  if (const Status ready = set_up(*request, operation); failed(ready)) {
    release(*request);
    return ready;
  }
  start(*request);
  return Status::ok;
}

Status PendingRequests::set_up(Request &request, const NetworkOperation &operation) {
  request.kind = kind_of(operation, *request.connection);
  request.address = operation.at.address;
  request.key = operation.at.key;
  request.immediate = operation.immediate;
  request.bytes = operation.bytes;
  request.into = operation.into;
  request.from = operation.from;
  request.desc = nullptr;
  request.borrows = operation.kind == Transfer::Kind::read || operation.bytes > operation.most_copied;
  if (request.borrows) return endpoint_.registers_sources() ? endpoint_.register_source(request) : Status::ok;
  if (operation.bytes > 0) std::memcpy(request.room, operation.from, static_cast<std::size_t>(operation.bytes));
  request.from = request.room;
  request.desc = request.room_desc;
  return Status::ok;
}

Status PendingRequests::find_room(int rank, const char *call) {
  auto locked = lock();
  take_back_some(locked);
  Connection *connection = nullptr;
  HLC_TRY(reach(connections_, rank, call, &connection));
  if (connection->has_room()) return Status::ok;
  locked = {};
  poll();
  return Status::again;
}

/// Requests that have ended are taken back regularly, to be reused while they are in the cache.
void PendingRequests::take_back_some(std::unique_lock<OptionalMutex> &locked) {
  if (pool_.in_use() == 0 || pool_.in_use() % kTakeBackEvery != 0) return;
  locked = {};
  poll();
  locked = lock();
}

Status PendingRequests::take(int rank, const char *call, std::unique_lock<OptionalMutex> &locked, Request **request, Room room) {
  take_back_some(locked);
  Connection *connection = nullptr;
  HLC_TRY(reach(connections_, rank, call, &connection));
  if (!connection->has_room(room)) {
    locked = {};
    HLC_TRY(await(call, connection, rank, [connection, room] { return connection->has_room(room); }));
    locked = lock();
  }
  return alone(communicator_, [&] { return pool_.take(*connection, call, room, request); });
}

Status PendingRequests::start_taken(Request &request) {
  if (request.connection->error == 0) return start(request), Status::ok;
  const Status failure = connections_.failure(*request.connection, request.call);
  release(request);
  return failure;
}

void PendingRequests::list(Request &request) {
  Connection &connection = *request.connection;
  request.number = begun_++;
  request.before = connection.newest;
  request.after = nullptr;
  (connection.newest ? connection.newest->after : connection.oldest) = &request;
  connection.newest = &request;
  request.listed = true;
  if (request.borrows) connection.borrowers += 1;
  if (reads_into_caller(request)) connection.reads += 1;
  if (!request.accumulates) return;
  connection.accumulates += 1;
  accumulates_.fetch_add(1, std::memory_order_relaxed);
}

void PendingRequests::take_from_list(Request &request) {
  Connection &connection = *request.connection;
  (request.before ? request.before->after : connection.oldest) = request.after;
  (request.after ? request.after->before : connection.newest) = request.before;
  request.listed = false;
  if (request.borrows) connection.borrowers -= 1;
  if (reads_into_caller(request)) connection.reads -= 1;
  if (!request.accumulates) return;
  connection.accumulates -= 1;
  accumulates_.fetch_sub(1, std::memory_order_relaxed);
}

void PendingRequests::start(Request &request) {
  list(request);
  Connection &connection = *request.connection;
  if (is_post(request)) request.posted_before = connection.posted++;
  if (is_posted_write(request)) connection.written = connection.posted;
  endpoint_.start(request);
}

Status PendingRequests::take_for_reply(const Message &query, Request **request) {
  Connection *connection = nullptr;
  HLC_TRY(connections_.reach(query.origin, &connection));
  return pool_.take(*connection, "a reply", Request::room_for(static_cast<std::int64_t>(sizeof query) + reply_room(query)), request);
}

void PendingRequests::reply(Request &request, const Reply &reply) {
  request.carry(reply.message, reply.value_bytes);
  request.is_reply = true;
  replies_ += 1;
  endpoint_.start(request);
}

void PendingRequests::ended(Request &request) {
  if (request.error != 0) {
    connections_.fail_connection(*request.connection, request.error, request.call);
    request.awaited = 1;  // no reply will arrive
    request.awaits_reply = false;
  }
  settle(request);
}

void PendingRequests::settle(Request &request) {
  // A reply to another rank's query does not show progress of the awaited rank.
  if (!request.is_reply) {
    request.connection->progress += 1;
    progress_ += 1;
  }
  if (--request.awaited > 0) return;
  if (request.listed) take_from_list(request);
  if (request.is_reply) replies_ -= 1;
  if (!request.held) pool_.release(request);
}

void PendingRequests::abandon(Connection &connection, const char *call) {
  if (connection.error != 0 || pool_.is_held(connection)) return;
  connections_.fail_connection(connection, ENOTCONN, call);
  pool_.of(connection, [&](Request &request) {
    // A request that another thread has handed to the provider meanwhile gets its own completion.
    const bool only_answer = request.awaits_reply && request.awaited == 1;
    if (!only_answer) return endpoint_.abandon(request, ENOTCONN);
    request.error = ENOTCONN;
    ended(request);
  });
}

/// Of those with requests under way: all, or that of the connection.
void PendingRequests::abandon_lost(const Connection *connection, const char *call) {
  const auto locked = lock();
  for (auto &[rank, one] : connections_.all())
    if ((!connection || connection == &one) && one.oldest && connections_.has_lost(rank)) abandon(one, call);
}

std::uint64_t PendingRequests::ended_posts(const Connection &connection) {
  for (const Request *request = connection.oldest; request; request = request->after)
    if (is_post(*request)) return request->posted_before;
  return connection.posted;
}

int PendingRequests::find_under_way(const char *call) const {
  for (const auto &[rank, connection] : connections_.all())
    for (const Request *request = connection.oldest; request; request = request->after)
      if (request->call == call && request->state.load(std::memory_order_relaxed) == Transfer::State::under_way) return rank;
  return -1;
}

Status PendingRequests::late(const char *call, int rank) const {
  const std::string peer = rank < 0 ? "the network" : connections_.name_of(rank);
  return fail(Status::timeout, "%s: rank %d timed out after %lld s waiting for %s (HALOCLINE_TIMEOUT)", call, communicator_.rank(),
              static_cast<long long>(communicator_.timeout_ns() / 1'000'000'000), peer.c_str());
}

}  // namespace halocline::core
