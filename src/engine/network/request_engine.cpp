// Connections, requests, and waits for them; failures are in request_failures.cpp. Everything happens under the endpoint's lock, which is
// taken only if the endpoint was opened for many threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/request_engine.hpp"

#include <algorithm>
#include <cstring>

#include "engine/communicator/collective.hpp"
#include "engine/communicator/wait_until.hpp"

namespace halocline::core {
namespace {

constexpr std::size_t kTakeBackEvery = 32;
constexpr std::uint32_t kOwnParts = std::uint32_t{1} << 31;

/// True if the request's completion says that it has left, or that its bytes have arrived, but not that its notification is set.
bool is_post(const Request &request) {
  return request.kind == Transfer::Kind::write || request.kind == Transfer::Kind::write_with_immediate ||
         request.kind == Transfer::Kind::write_delivered_with_immediate;
}

}  // namespace

RequestEngine::RequestEngine(const Needs &needs, const transport::Choice &choice, transport::Failures *failures)
    : communicator_(needs.communicator),
      leaders_(needs.leaders),
      shared_endpoint_(needs.shared_endpoint),
      liveness_(needs.liveness),
      endpoint_(needs.shared_endpoint.endpoint()),
      choice_(choice),
      service_(choice.secret, needs.communicator.size()),
      pool_({&endpoint_, this, failures}) {}

Status RequestEngine::open() {
  if (open_) return Status::ok;
  HLC_TRY(share_addresses());
  HLC_TRY(prepare(communicator_, communicator_.comm(), [this] { return shared_endpoint_.open_receive_buffers(); }));
  shared_endpoint_.take_messages();
  open_ = true;
  return Status::ok;
}

/// A rank has its own endpoint, from which it sends queries and at which it receives replies. A helper has one for all queries to its
/// node's ranks.
Status RequestEngine::share_addresses() {
  const RankAddress mine = liveness_.mine();
  if (communicator_.progress() != Progress::helper) return ranks_.share(communicator_, leaders_, mine);
  HLC_TRY(ranks_.share(communicator_, leaders_, mine, ObjectFile::kept));
  HLC_TRY(start_helper());
  ranks_.close_file();
  return doors_.share(communicator_, leaders_, helper_->address());
}

Status RequestEngine::start_helper() {
  std::unique_ptr<Helper> helper;
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    helper = std::make_unique<Helper>(communicator_);
    return Status::ok;
  }));
  HLC_TRY(helper->start(endpoint_, choice_, ranks_.table()));
  helper_ = std::move(helper);
  return Status::ok;
}

std::uint32_t RequestEngine::next_segment() {
  const auto locked = lock();
  return next_segment_++;
}

std::uint32_t RequestEngine::next_own_part() {
  const auto locked = lock();
  return kOwnParts | next_own_part_++;
}

void RequestEngine::serve(std::uint32_t segment, const Served &memory) {
  const auto locked = lock();
  service_.serve(communicator_.rank(), segment, memory);
}

void RequestEngine::stop_serving(std::uint32_t segment) {
  const auto locked = lock();
  service_.stop_serving(communicator_.rank(), segment);
}

void RequestEngine::ended(Request &request) {
  if (request.error != 0) {
    fail_connection(*request.connection, request.error, request.call);
    request.awaited = 1;  // no reply will arrive
    request.awaits_reply = false;
  }
  settle(request);
}

void RequestEngine::leave(EndpointUser &user) {
  pool_.disown();
  user.pool = std::move(pool_);
  user.connections = std::move(connections_);
}

bool RequestEngine::read(const char *text, std::int64_t bytes) {
  Message message;
  if (!service_.read(text, bytes, &message)) return false;
  if (message.kind == Message::Kind::reply) return take_reply(message);
  return carry_out(message, text + sizeof message, bytes - static_cast<std::int64_t>(sizeof message));
}

/// Only a query without operands may be put off: what it needs is in the message itself.
bool RequestEngine::carry_out(const Message &message, const char *operands, std::int64_t bytes) {
  Message reply;
  const Service::Outcome outcome = service_.carry_out(message, operands, bytes, &reply);
  return !failed(alone(communicator_, [&] {
    if (outcome == Service::Outcome::done) return send_reply(reply);
    if (outcome == Service::Outcome::refused || bytes > 0) return Status::argument;
    put_off_.push_back(message);
    shared_endpoint_.note_put_off();
    return Status::ok;
  }));
}

/// Carries them out in the order in which they arrived.
void RequestEngine::carry_out_put_off() {
  std::vector<Message> due;
  due.swap(put_off_);
  for (const Message &message : due) carry_out(message, nullptr, 0);
}

/// A late reply to an abandoned request names a use that is over. A second reply, or one to a request that is no query, is ignored: the
/// provider may still hold the request.
bool RequestEngine::take_reply(const Message &message) {
  Request *const found = pool_.at(message.request);
  if (!found || found->use != message.use || !found->awaits_reply || found->connection->rank != message.origin) return false;
  Request &request = *found;
  request.awaits_reply = false;
  request.reply = message.operand;
  request.connection->confirmed = std::max(request.connection->confirmed, request.confirms);
  settle(request);
  return true;
}

/// Replies take requests without limit: the ranks that send queries have a limit, and wait for the replies.
Status RequestEngine::send_reply(const Message &reply) {
  Connection *connection = nullptr;
  Request *request = nullptr;
  HLC_TRY(reach(reply.target, &connection));
  HLC_TRY(pool_.take(*connection, "a reply", &request));
  write(*request, reply, nullptr, 0);
  request->is_reply = true;
  replies_ += 1;
  endpoint_.start(*request);
  return Status::ok;
}

/// One of the events that a request waits for has happened.
void RequestEngine::settle(Request &request) {
  // A reply to another rank's query is no sign of progress of the rank that is waited for.
  if (!request.is_reply) {
    request.connection->progress += 1;
    progress_ += 1;
  }
  if (--request.awaited > 0) return;
  if (request.listed) {
    (request.before ? request.before->after : request.connection->oldest) = request.after;
    (request.after ? request.after->before : request.connection->newest) = request.before;
    request.listed = false;
  }
  if (request.is_reply) replies_ -= 1;
  if (!request.held) pool_.release(request);
}

Status RequestEngine::reach(int rank, Connection **connection) {
  const auto known = connections_.find(rank);
  if (known != connections_.end()) {
    *connection = &known->second;
    return Status::ok;
  }
  Connection met;
  met.rank = rank;
  HLC_TRY(liveness_.know(rank, ranks_.of(rank)));
  HLC_TRY(endpoint_.resolve(helper_ ? doors_.of(rank) : ranks_.of(rank).address, &met.peer));
  *connection = &connections_.emplace(rank, met).first->second;
  return Status::ok;
}

Status RequestEngine::meet(int rank) {
  const auto locked = lock();
  Connection *connection = nullptr;
  return alone(communicator_, [&] { return reach(rank, &connection); });
}

/// Waits until `there` is true, which may change the rank that is named in a timeout. Returns early if the connection has failed.
template <class There>
Status RequestEngine::await(const char *call, const Connection *connection, const int &rank, There there) {
  Wait wait(communicator_, WakeUp::by_polling);
  const std::uint64_t &progress = connection ? connection->progress : progress_;
  std::uint64_t before = 0;
  const auto look = [&] {
    poll();
    const auto locked = lock();
    if (connection && connection->error != 0) return failure(*connection, call);
    if (there()) return Status::ok;
    if (progress != before) wait.progress();
    before = progress;
    return Status::again;
  };
  return wait_until(wait, look, [&] { return wait.timed_out() ? late(call, rank) : Status::ok; });
}

/// Requests that have ended are taken back regularly, to be reused while they are in the cache.
bool RequestEngine::time_to_take_back() {
  const auto locked = lock();
  return pool_.in_use() > 0 && pool_.in_use() % kTakeBackEvery == 0;
}

Status RequestEngine::begin(int rank, const char *call, Request **request) {
  if (time_to_take_back()) poll();
  Connection *connection = nullptr;
  {
    const auto locked = lock();
    HLC_TRY(reach_for(rank, call, &connection));
    if (connection->in_use < kMostRequests) return take_for(*connection, call, request);
  }
  HLC_TRY(await(call, connection, rank, [connection] { return connection->in_use < kMostRequests; }));
  const auto locked = lock();
  return take_for(*connection, call, request);
}

Status RequestEngine::reach_for(int rank, const char *call, Connection **connection) {
  HLC_TRY(alone(communicator_, [&] { return reach(rank, connection); }));
  return (*connection)->error != 0 ? failure(**connection, call) : Status::ok;
}

Status RequestEngine::take_for(Connection &connection, const char *call, Request **request) {
  return alone(communicator_, [&] { return pool_.take(connection, call, request); });
}

void RequestEngine::list(Request &request) {
  Connection &connection = *request.connection;
  request.number = begun_++;
  request.before = connection.newest;
  request.after = nullptr;
  (connection.newest ? connection.newest->after : connection.oldest) = &request;
  connection.newest = &request;
  request.listed = true;
}

void RequestEngine::start(Request &request) {
  const auto locked = lock();
  list(request);
  if (is_post(request)) request.posted_before = request.connection->posted++;
  endpoint_.start(request);
}

void RequestEngine::drop(Request &request) {
  const auto locked = lock();
  pool_.release(request);
}

void RequestEngine::write(Request &request, Message message, const void *operands, std::int64_t bytes) {
  if (message.kind != Message::Kind::reply) {
    message.secret = choice_.secret;
    message.origin = communicator_.rank();
    message.target = request.connection->rank;
    message.request = request.place;
    message.use = request.use;
  }
  std::memcpy(request.room, &message, sizeof message);
  if (bytes > 0) std::memcpy(request.room + sizeof message, operands, static_cast<std::size_t>(bytes));
  request.kind = Transfer::Kind::send;
  request.from = request.room;
  request.desc = request.room_desc;
  request.bytes = static_cast<std::int64_t>(sizeof message) + bytes;
}

void RequestEngine::write_query(Request &request, const Message &message, const void *operands, std::int64_t bytes) {
  write(request, message, operands, bytes);
  request.awaited = 2;
  request.awaits_reply = true;
}

Status RequestEngine::send_query(int rank, const char *call, const Message &message, const void *operands, std::int64_t bytes) {
  Request *request = nullptr;
  HLC_TRY(begin(rank, call, &request));
  write_query(*request, message, operands, bytes);
  start(*request);
  return Status::ok;
}

Status RequestEngine::ask(int rank, const char *call, const Message &message, std::uint64_t *reply) {
  Request *request = nullptr;
  HLC_TRY(begin(rank, call, &request));
  write_query(*request, message, nullptr, 0);
  request->held = true;
  start(*request);
  const Status status = await(call, request->connection, rank, [request] { return request->awaited == 0; });
  const auto locked = lock();
  request->held = false;
  *reply = request->reply;
  if (request->awaited == 0) pool_.release(*request);
  return status;
}

/// Calls each(connection) for the connection to one rank, if there is one, or for all.
template <class Each>
Status RequestEngine::for_connections(int rank, Each each) {
  auto locked = lock();
  auto next = rank < 0 ? connections_.begin() : connections_.find(rank);
  while (next != connections_.end()) {
    if (shared_endpoint_.many_threads()) locked.unlock();
    HLC_TRY(each(next->second));
    if (shared_endpoint_.many_threads()) locked.lock();
    if (rank >= 0) return Status::ok;
    ++next;
  }
  return Status::ok;
}

/// Returns n if the first n posts to a rank have ended.
std::uint64_t RequestEngine::ended_posts(const Connection &connection) {
  for (const Request *request = connection.oldest; request; request = request->after)
    if (is_post(*request)) return request->posted_before;
  return connection.posted;
}

/// Asks the target to confirm what was posted to it.
Status RequestEngine::ask_to_confirm(Connection &connection, const char *call) {
  Request *request = nullptr;
  {
    const auto locked = lock();
    if (connection.confirmed == connection.posted) return Status::ok;
  }
  HLC_TRY(begin(connection.rank, call, &request));
  Message message;
  message.kind = Message::Kind::confirm;
  write_query(*request, message, nullptr, 0);
  {
    const auto locked = lock();
    // SYNC announced-before-confirmed (pairs with do_as_asked): these posts ended before the query starts.
    request->confirms = ended_posts(connection);
  }
  start(*request);
  return Status::ok;
}

/// Waits until all requests begun so far to the rank of a connection have ended.
Status RequestEngine::wait_for(const Connection &connection, const char *call) {
  std::uint64_t end = 0;
  {
    const auto locked = lock();
    end = begun_;
  }
  return await(call, &connection, connection.rank, [&] { return !connection.oldest || connection.oldest->number >= end; });
}

Status RequestEngine::flush(int rank, const char *call, bool confirm) {
  HLC_TRY(for_connections(rank, [&](const Connection &connection) { return wait_for(connection, call); }));
  if (!confirm) return Status::ok;
  HLC_TRY(for_connections(rank, [&](Connection &connection) { return ask_to_confirm(connection, call); }));
  return for_connections(rank, [&](const Connection &connection) { return wait_for(connection, call); });
}

Flush RequestEngine::begin_flush(int rank, bool confirm) {
  const auto locked = lock();
  return {rank, confirm, begun_};
}

Status RequestEngine::look(Flush &flush, const char *call) {
  poll();
  while (true) {
    Connection *connection = nullptr;
    {
      const auto locked = lock();
      const auto known = connections_.find(flush.rank);
      if (known == connections_.end()) return Status::ok;
      connection = &known->second;
      if (connection->error != 0) return failure(*connection, call);
      if (connection->oldest && connection->oldest->number < flush.end) return Status::again;
      if (!flush.confirm) return Status::ok;
      if (connection->in_use >= kMostRequests) return Status::again;
    }
    HLC_TRY(ask_to_confirm(*connection, call));
    flush = begin_flush(flush.rank, false);
  }
}

/// Returns a rank to which a request of a call is still under way; -1 if there is none.
int RequestEngine::find_under_way(const char *call) const {
  for (const auto &[rank, connection] : connections_)
    for (const Request *request = connection.oldest; request; request = request->after)
      if (request->call == call && request->state.load(std::memory_order_relaxed) == Transfer::State::under_way) return rank;
  return -1;
}

Status RequestEngine::flush_outgoing(const char *call) {
  int awaited = -1;
  return await(call, nullptr, awaited, [&] {
    awaited = find_under_way(call);
    return awaited < 0 && replies_ == 0;
  });
}

}  // namespace halocline::core
