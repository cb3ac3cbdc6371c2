// Queries: active messages that a rank of another node, or its helper process, carries out and replies to. They do what a write or a read
// cannot do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>

#include "engine/network/pending.hpp"
#include "engine/network/pending_requests.hpp"

namespace halocline::core {

/// The words of several atomics, kMaxListed at most, and a place for the previous number of each.
struct AtomicsQuery {
  std::span<const std::uint64_t> words;
  std::span<std::uint64_t> olds;
};
/// What was posted: writes, or messages without a reply as well.
enum class Posts { writes, all };

/// Any thread may call if the endpoint was opened for many threads. `call` is the caller's name in messages.
class RequestQueries {
 public:
  RequestQueries(PendingRequests &pending, const ConnectionTable &connections, int rank, std::uint64_t secret)
      : pending_(pending), connections_(connections), rank_(rank), secret_(secret) {}

  /// Starts a query; a flush waits for its reply.
  Status send_query(int rank, const char *call, const Message &message, const void *operands, std::int64_t bytes);
  /// Starts a query to which no reply is wanted. It ends when it has left; the next query that is to confirm writes confirms it as well. Where
  /// messages may overtake each other it is as send_query.
  Status send_silent(int rank, const char *call, const Message &message, const void *operands, std::int64_t bytes);
  /// Sends a query and waits for its reply.
  Status ask(int rank, const char *call, const Message &message, std::uint64_t *reply);
  /// The same without waiting: sends the query unless it has been sent, and tests for its reply; `again` until that has arrived.
  Status look(Query &query, int rank, const char *call, const Message &message, std::uint64_t *reply);
  /// Sends a query of several atomics, whose message says where; `again`, and nothing has been done, while too many requests are under way
  /// there. The places for the previous numbers stay until the reply has been taken or forgotten.
  Status start(Query &query, int rank, const char *call, const Message &message, const AtomicsQuery &several);
  /// Tests for the reply after a poll; `again` until it has arrived.
  Status test(Query &query, const char *call, std::uint64_t *reply);
  /// The reply is no longer wanted; the query may be carried out nevertheless.
  void forget(Query &query);
  /// Takes a request for a query whose operands its caller writes; waits while too many requests are under way there.
  Status take(int rank, const char *call, Room room, Request **request);
  /// Starts it. A flush waits for the reply, if there is one.
  Status start_taken(Request &request, const Message &message, std::int64_t operand_bytes);
  /// Releases it instead.
  void give_back(Request &request);
  /// Asks a rank to confirm what was posted to it, unless it has confirmed these posts; a flush waits for the reply.
  Status ask_to_confirm(const Connection &connection, const char *call, Posts posts = Posts::writes);
  /// Takes a reply that has arrived, and the old values that follow it; false if none is awaited. With the lock.
  bool take_reply(const Message &message, const char *olds, std::int64_t bytes);

 private:
  void write(Request &request, Message message, const void *operands, std::int64_t bytes) const;
  Message addressed(const Request &request, const Message &message) const;
  static void await_reply_of(Request &request, const Message &message);
  Status start_held(int rank, const char *call, const Message &message, const AtomicsQuery &several, Request **request);
  void abandon(Query &query);

  PendingRequests &pending_;
  const ConnectionTable &connections_;
  int rank_;
  std::uint64_t secret_;
};

/// A request whose operands are being written. It is released unless it is started.
class RequestFilling {
 public:
  explicit RequestFilling(RequestQueries &queries) : queries_(queries) {}
  RequestFilling(const RequestFilling &) = delete;
  RequestFilling &operator=(const RequestFilling &) = delete;
  ~RequestFilling() {
    if (request_) queries_.give_back(*request_);
  }

  Status take(int rank, const char *call, Room room = Room::usual) { return queries_.take(rank, call, room, &request_); }
  Request &request() const { return *request_; }
  Status start(const Message &message, std::int64_t operand_bytes) {
    return queries_.start_taken(*std::exchange(request_, nullptr), message, operand_bytes);
  }

 private:
  RequestQueries &queries_;
  Request *request_ = nullptr;
};

}  // namespace halocline::core
