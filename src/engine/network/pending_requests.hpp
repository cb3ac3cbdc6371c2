// Requests under way to ranks of other nodes: taken from the pool, started, listed until they end, and waited for. Every wait polls, and so
// serves the other ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/mutex.hpp"
#include "engine/communicator/wait_until.hpp"
#include "engine/network/request_pool.hpp"

namespace halocline::core {

class ConnectionTable;
class EndpointClient;
class SharedEndpoint;
struct RequestNeeds;

/// A write or a read of a rank's memory. Short data are copied, so that the caller may change them at once.
struct NetworkOperation {
  Transfer::Kind kind = Transfer::Kind::write;
  int rank = 0;
  transport::RemoteKey at;  // the target
  const char *from = nullptr;
  char *into = nullptr;  // of a read
  std::int64_t bytes = 0;
  std::uint64_t immediate = 0;  // immediate data
  bool is_announced = false;  // a later message to the rank says that it has arrived
  std::int64_t most_copied = Request::kShort;  // up to this size the source may change once the operation has begun
};

/// Any thread may call if the endpoint was opened for many threads. `call` is the caller's name in messages.
class PendingRequests final : public RequestOwner {
 public:
  PendingRequests(const RequestNeeds &needs, EndpointClient &client, ConnectionTable &connections, transport::Failures *failures);

  /// The lock of all that is said to need it.
  std::unique_lock<OptionalMutex> lock();
  /// Drives progress at the endpoint; true if there were events.
  bool poll();
  /// The requests of a context that leaves. Those that wait for room are abandoned.
  RequestPool leave();

  /// Starts an operation; waits while too many requests are under way to its rank. If it fails, a later wait for the rank reports that.
  Status post(const char *call, const NetworkOperation &operation);
  /// Whether a request to a rank may begin without a wait; `again` while too many are under way there.
  Status find_room(int rank, const char *call);

  // With the lock:
  /// Takes a request to a rank; waits without the lock while too many are under way there.
  Status take(int rank, const char *call, std::unique_lock<OptionalMutex> &locked, Request **request, Room room = Room::usual);
  void start(Request &request);
  /// The same for a request that was taken some time ago. If its connection has failed meanwhile, it is released.
  Status start_taken(Request &request);
  void release(Request &request) { pool_.release(request); }
  /// Takes a request for a reply, which is neither limited nor flushed: the ranks that send queries have a limit, and wait for the replies.
  Status take_for_reply(const Message &query, Request **request);
  /// Starts it, with the values that have been written behind the message.
  void reply(Request &request, const Reply &reply);
  void ended(Request &request) override;
  /// One of the events that a request waits for has happened.
  void settle(Request &request);
  /// All requests, each at its place.
  RequestPool &pool() { return pool_; }
  /// The number of the next request. Requests are numbered as they start.
  std::uint64_t next_number() const { return begun_; }
  /// Whether messages arrive in order, and after the writes before them.
  bool keeps_order() const { return endpoint_.keeps_order(); }
  /// Returns n if the first n posts to a rank have ended.
  static std::uint64_t ended_posts(const Connection &connection);
  /// Requests that wait for a rank that is lost fail, unless the provider holds a request to it.
  void abandon(Connection &connection, const char *call);
  /// Returns a rank to which a request of a call is still under way; -1 if there is none.
  int find_under_way(const char *call) const;
  /// True while an accumulate is under way to any rank; without the lock, for the thread that has begun it.
  bool any_accumulates() const { return accumulates_.load(std::memory_order_relaxed) > 0; }
  /// True while a reply is under way.
  bool has_replies() const { return replies_ > 0; }

  /// Waits until `there` is true, which may change the rank that is named in a timeout. Returns early if the connection has failed, or its
  /// rank is lost: some providers try forever to reach it.
  template <class There>
  Status await(const char *call, const Connection *connection, const int &rank, There there);
  /// The failure of a wait that has been longer than HALOCLINE_TIMEOUT.
  Status late(const char *call, int rank) const;

 private:
  void take_back_some(std::unique_lock<OptionalMutex> &locked);
  Status set_up(Request &request, const NetworkOperation &operation);
  Status failure(const Connection &connection, const char *call);
  void abandon_lost(const Connection *connection, const char *call);
  void list(Request &request);
  void take_from_list(Request &request);

  Communicator &communicator_;
  SharedEndpoint &shared_endpoint_;
  EndpointClient &client_;
  ConnectionTable &connections_;
  NetworkEndpoint &endpoint_;
  RequestPool pool_;
  std::uint64_t begun_ = 0, progress_ = 0;
  int replies_ = 0;  // under way
  std::atomic<int> accumulates_{0};  // under way
};

template <class There>
Status PendingRequests::await(const char *call, const Connection *connection, const int &rank, There there) {
  Wait wait(communicator_, WakeUp::by_polling);
  const std::uint64_t &progress = connection ? connection->progress : progress_;
  std::uint64_t before = 0;
  bool polls = false;  // not before the first look: a poll takes as long as many calls
  const auto look = [&] {
    if (std::exchange(polls, true)) poll();
    const auto locked = lock();
    if (connection && connection->error != 0) return failure(*connection, call);
    if (there()) return Status::ok;
    if (progress != before) wait.progress();
    before = progress;
    return Status::again;
  };
  const auto find_failure = [&] {
    abandon_lost(connection, call);
    return wait.timed_out() ? late(call, rank) : Status::ok;
  };
  return wait_until(wait, look, find_failure);
}

}  // namespace halocline::core
