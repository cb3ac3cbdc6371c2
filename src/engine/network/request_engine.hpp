// Requests between this rank and those of other nodes: transfers, and active messages for what a transfer cannot do. Here they are flushed,
// and what arrives goes to the part that it is for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "engine/network/connection_table.hpp"
#include "engine/network/helper.hpp"
#include "engine/network/pending.hpp"
#include "engine/network/request_failures.hpp"
#include "engine/network/request_queries.hpp"
#include "engine/network/served_parts.hpp"
#include "engine/network/shared_endpoint.hpp"

namespace halocline::core {

/// Any thread may call if the endpoint was opened for many threads, except for what is collective.
class RequestEngine final : public EndpointClient {
 public:
  RequestEngine(const RequestNeeds &needs, const transport::Choice &choice, transport::Failures *failures);
  RequestEngine(const RequestEngine &) = delete;
  RequestEngine &operator=(const RequestEngine &) = delete;

  /// Shares the addresses of all ranks, and receives their messages from then on. Starts a helper process if one is wanted. Collective over
  /// the communicator; once.
  Status open();
  /// The helper process of this node (HALOCLINE_PROGRESS=helper), which knows the addresses of all ranks; null if there is none.
  Helper *helper() const { return connections_.helper(); }
  /// Drives progress at the endpoint; true if there were events.
  bool poll() { return pending_.poll(); }
  /// The name of a rank of another node in messages.
  std::string name_of(int rank) const { return connections_.name_of(rank); }

  /// Parts of this rank that queries of others access.
  ServedParts &served() { return served_; }
  /// While this lock is held, no request of another rank is carried out in this process.
  std::unique_lock<OptionalMutex> pause_request_service() { return pending_.lock(); }
  /// Queries to other ranks.
  RequestQueries &queries() { return queries_; }
  /// Requests that have failed or are to be abandoned.
  RequestFailures &failures() { return failures_; }

  /// Starts an operation; waits while too many requests are under way to its rank. If it fails, a later wait for the rank reports that.
  /// `call` is the caller's name in messages.
  Status post(const char *call, const NetworkOperation &operation) { return pending_.post(call, operation); }
  /// Whether a request to a rank may begin without a wait; `again` while too many are under way there.
  Status find_room(int rank, const char *call) { return pending_.find_room(rank, call); }
  /// Probes a rank from now on, because it is going to be waited for; nothing else is sent to it.
  Status meet(int rank);

  /// Waits for all requests begun so far to a rank; to all ranks if rank is below 0. With `confirm` also until their notifications are set
  /// and what was written without an acknowledgement has arrived.
  Status flush(int rank, const char *call, bool confirm);
  /// Waits until the requests begun so far to a rank, or to all, no longer use their callers' memory. With `reads` only those that read. With
  /// `accumulates` until these have been carried out, so that a put or a get that begins now follows them.
  Status give_back_memory(int rank, const char *call, Uses uses);
  /// Flushes all ranks with `confirm`. The exception is `peer`, which a following message notifies; below 0: no exception.
  Status flush_before_notify(int peer, const char *call);
  /// Waits until the ranks have got all that was posted to them, messages without a reply included.
  Status confirm_all(const char *call);
  /// The same without waiting, for all requests begun so far to a rank: `look` returns ok once they have ended, `again` until then.
  Flush begin_flush(int rank, bool confirm);
  /// One for each rank with a connection.
  std::vector<Flush> begin_flushes(bool confirm);
  Status look(Flush &flush, const char *call);
  /// The same after a poll.
  Status look_polled(Flush &flush, const char *call);
  /// The failure of a wait for a rank that has been longer than HALOCLINE_TIMEOUT.
  Status late(const char *call, int rank) const { return pending_.late(call, rank); }
  /// Waits until what `call` has sent, and all replies, have left this process. Then the caller may do work during which it serves no rank.
  Status flush_outgoing(const char *call);
  /// The same without waiting: `again` until then.
  Status test_outgoing(const char *call);

  // As the endpoint's client:
  bool read(const char *text, std::int64_t bytes) override;
  void carry_out_put_off() override { served_.carry_out_put_off(); }
  bool any_under_way() override { return pending_.pool().any_under_way(); }
  void leave(EndpointUser &user) override;
  void wake() override { communicator_.ring_waiters(); }

 private:
  template <class Each>
  Status for_connections(int rank, Each each);

  Communicator &communicator_;
  SharedEndpoint &shared_endpoint_;
  transport::Choice choice_;
  bool open_ = false;
  ConnectionTable connections_;
  PendingRequests pending_;
  RequestQueries queries_;
  ServedParts served_;
  RequestFailures failures_;
};

}  // namespace halocline::core
