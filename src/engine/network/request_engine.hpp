// Requests between this rank and those of other nodes: transfers, and active messages for what a transfer cannot do. A connection to
// a rank is made at its first use. Every wait polls, and so serves the other ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/memory/rank_table.hpp"
#include "engine/network/helper.hpp"
#include "engine/network/shared_endpoint.hpp"

namespace halocline::core {

/// A nonblocking wait for the requests begun to a rank, which its caller continues from time to time.
struct Flush {
  int rank = 0;
  bool confirm = false;  // remote completion: until the target has it all
  std::uint64_t end = 0;  // requests before this number
};

/// A query whose reply its caller tests for from time to time.
struct Query {
  Request *request = nullptr;
};

/// Any thread may call if the endpoint was opened for many threads, except for what is collective.
class RequestEngine final : public EndpointClient {
 public:
  /// The objects it works with.
  struct Needs {
    Communicator &communicator;
    NodeLeaders &leaders;
    SharedEndpoint &shared_endpoint;
    Liveness &liveness;
  };
  RequestEngine(const Needs &needs, const transport::Choice &choice, transport::Failures *failures);
  RequestEngine(const RequestEngine &) = delete;
  RequestEngine &operator=(const RequestEngine &) = delete;

  /// Shares the addresses of all ranks, and receives their messages from then on. Starts a helper process if one is wanted. Collective over
  /// the communicator; once.
  Status open();
  /// Numbers a segment. All ranks call it in the same order; it has the same number on all.
  std::uint32_t next_segment();
  /// Numbers a part that this rank alone has made; no segment has that number.
  std::uint32_t next_own_part();
  /// Answers queries for a segment from now on.
  void serve(std::uint32_t segment, const Served &memory);
  void stop_serving(std::uint32_t segment);

  /// The helper process of this node (HALOCLINE_PROGRESS=helper), which knows the addresses of all ranks; null if there is none.
  Helper *helper() const { return helper_.get(); }
  /// Drives progress at the endpoint; true if there were events.
  bool poll() { return shared_endpoint_.poll_for(this); }

  void ended(Request &request) override;
  bool read(const char *text, std::int64_t bytes) override;
  void carry_out_put_off() override;
  void leave(EndpointUser &user) override;
  void wake() override { communicator_.ring_waiters(); }

  /// Takes a request to a rank; waits while too many are under way there. `call` is its name in messages.
  Status begin(int rank, const char *call, Request **request);
  /// Starts the request. If it fails, a later wait for the rank reports that.
  void start(Request &request);
  /// Releases a request that is not to be started after all.
  void drop(Request &request);
  /// Starts a query; a flush waits for its reply.
  Status send_query(int rank, const char *call, const Message &message, const void *operands, std::int64_t bytes);
  /// Sends a query and waits for its reply.
  Status ask(int rank, const char *call, const Message &message, std::uint64_t *reply);
  /// The same without waiting: sends the query unless it has been sent, and tests for its reply; `again` until that has arrived.
  Status look(Query &query, int rank, const char *call, const Message &message, std::uint64_t *reply);
  /// The reply is not wanted any more; the query may be carried out all the same.
  void forget(Query &query);
  /// Whether a transfer to a rank may begin without a wait; `again` while too many are under way there.
  Status find_room(int rank, const char *call);

  /// Waits for all requests begun so far to a rank; to all ranks if rank is below 0. With `confirm` also until their notifications are set
  /// and what was written without an acknowledgement has arrived.
  Status flush(int rank, const char *call, bool confirm);
  /// The same without waiting, for all requests begun so far to a rank: `look` returns ok once they have ended, `again` until then.
  Flush begin_flush(int rank, bool confirm);
  /// One for each rank with a connection.
  std::vector<Flush> begin_flushes(bool confirm);
  Status look(Flush &flush, const char *call);
  /// Probes a rank from now on, because it is going to be waited for; nothing else is sent to it.
  Status meet(int rank);
  /// True if a request to a rank has failed; to any rank.
  bool has_failed(int rank);
  bool has_failed();
  /// True if the provider holds a request to a rank.
  bool is_on_its_way(int rank);
  /// To be called for a rank that its probe does not reach. Requests that wait for it fail, unless the provider holds a request to it.
  void give_up(int rank, const char *call);
  /// Waits until what `call` has sent, and all replies, have left this process. Then the caller may do work during which it serves no rank.
  Status flush_outgoing(const char *call);
  /// The same without waiting: `again` until then.
  Status test_outgoing(const char *call);
  /// The name of a rank of another node in messages.
  std::string name_of(int rank) const;
  /// Fails if a request to any rank has failed, or the helper process has ended.
  Status look_for_failure(const char *call);

 private:
  static constexpr std::size_t kMostRequests = 1024;  // to one rank, so that a rank that receives nothing does not block the others

  std::unique_lock<std::mutex> lock() { return shared_endpoint_.lock(); }
  template <class There>
  Status await(const char *call, const Connection *connection, const int &rank, There there);
  bool time_to_take_back();
  Status share_addresses();
  Status start_helper();
  Status reach(int rank, Connection **connection);
  Status reach_for(int rank, const char *call, Connection **connection);
  Status take_for(Connection &connection, const char *call, Request **request);
  void abandon(Query &query);
  void list(Request &request);
  void settle(Request &request);
  void fail_connection(Connection &connection, int error, const char *call);
  bool is_held_by_provider(const Request &request);
  bool holds_any(const Connection &connection);
  int find_under_way(const char *call) const;
  Status late(const char *call, int rank) const;
  Status failure(const Connection &connection, const char *call) const;
  template <class Each>
  Status for_connections(int rank, Each each);
  Status ask_to_confirm(Connection &connection, const char *call);
  Status wait_for(const Connection &connection, const char *call);
  static std::uint64_t ended_posts(const Connection &connection);
  void write(Request &request, Message message, const void *operands, std::int64_t bytes);
  void write_query(Request &request, const Message &message, const void *operands, std::int64_t bytes);

  bool carry_out(const Message &message, const char *operands, std::int64_t bytes);
  bool take_reply(const Message &message);
  Status send_reply(const Message &reply);

  Communicator &communicator_;
  NodeLeaders &leaders_;
  SharedEndpoint &shared_endpoint_;
  Liveness &liveness_;
  NetworkEndpoint &endpoint_;
  transport::Choice choice_;
  bool open_ = false;
  RankTable<RankAddress> ranks_;
  RankTable<transport::Address> doors_;  // of helpers, where there are any: the ranks are reached at them
  std::map<int, Connection> connections_;
  Service service_;
  std::vector<Message> put_off_;  // queries for memory whose lock another rank of the node held
  std::uint32_t next_segment_ = 0, next_own_part_ = 0;
  RequestPool pool_;
  std::unique_ptr<Helper> helper_;
  std::uint64_t begun_ = 0, progress_ = 0;
  int replies_ = 0;  // under way
  int failed_connections_ = 0;
};

}  // namespace halocline::core
