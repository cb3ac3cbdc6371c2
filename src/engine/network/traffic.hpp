// What is under way between this rank and those of other nodes: transfers in flight, and small messages that ask for what a transfer cannot
// do. A rank of another node is known from its first use on. Whoever waits for anything polls, and so serves the others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/memory/directory.hpp"
#include "engine/network/endpoint.hpp"
#include "engine/network/helper.hpp"

namespace halocline {

/// A wait for what has begun to a rank, that its caller goes on with from time to time.
struct Drain {
  int rank = 0;
  bool confirm = false;  // until the target has it all
  std::uint64_t end = 0;  // flights before this number
};

/// A request whose answer its caller looks for from time to time.
struct Question {
  Flight *flight = nullptr;
};

/// Any thread may call, but for what is collective, if the port was opened for many threads.
class Traffic final : public EndpointClient {
 public:
  /// What it works with.
  struct Needs {
    Communicator &communicator;
    Leaders &leaders;
    Endpoint &endpoint;
    Pulses &pulses;
  };
  Traffic(const Needs &needs, const transport::Choice &choice, transport::Failures *failures);
  Traffic(const Traffic &) = delete;
  Traffic &operator=(const Traffic &) = delete;

  /// Shares the addresses of all ranks, and is ready for their messages; a helper process is started where one is wished. Collective over the
  /// communicator; once.
  Status open();
  /// Numbers a segment. All ranks call it in the same order; it has the same number on all.
  std::uint32_t next_segment();
  /// Numbers a part that this rank alone has made; no segment has that number.
  std::uint32_t next_own_part();
  /// Answers requests for a segment from now on.
  void serve(std::uint32_t segment, const Served &memory);
  void stop_serving(std::uint32_t segment);

  /// The helper process of this node (HALOCLINE_PROGRESS=helper), which knows the addresses of all ranks; null if there is none.
  Helper *helper() const { return helper_.get(); }
  /// Moves everything at the endpoint along; true if anything came.
  bool poll() { return endpoint_.poll_for(this); }

  void ended(Flight &flight) override;
  bool read(const char *text, std::int64_t bytes) override;
  void carry_out_put_off() override;
  void leave(EndpointUser &user) override;
  void wake() override { communicator_.ring_waiters(); }

  /// Takes a flight to a rank; waits while too many are under way there. `call` is its name in messages.
  Status begin(int rank, const char *call, Flight **flight);
  /// The flight is on its way, or has failed: then whoever waits for the rank hears of it.
  void start(Flight &flight);
  /// The flight is not to be started after all.
  void drop(Flight &flight);
  /// Starts a request; whoever flushes waits for its answer.
  Status request(int rank, const char *call, const Message &message, const void *operands, std::int64_t bytes);
  /// Sends a request and waits for its answer.
  Status ask(int rank, const char *call, const Message &message, std::uint64_t *answer);
  /// The same without waiting: sends the request unless it has been sent, and looks for its answer; `again` until that is there.
  Status look(Question &question, int rank, const char *call, const Message &message, std::uint64_t *answer);
  /// Nobody looks for the answer any more; the request may be carried out all the same.
  void forget(Question &question);
  /// Whether a transfer to a rank may begin without a wait; `again` while too many are under way there.
  Status find_room(int rank, const char *call);

  /// Waits for all that has begun so far to a rank; to all ranks if rank is below 0. With `confirm` also until its notifications are set
  /// and what was written without an acknowledgement is there.
  Status drain(int rank, const char *call, bool confirm);
  /// The same without waiting: all that has begun so far to a rank; ok once that is over, `again` until then.
  Drain begin_drain(int rank, bool confirm);
  /// One for each rank that something has gone to.
  std::vector<Drain> begin_drains(bool confirm);
  Status look(Drain &drain, const char *call);
  /// A rank is going to be waited for: from now on it is looked for, though nothing is sent to it but that.
  Status meet(int rank);
  /// True if something to a rank has failed; to any rank.
  bool has_failed(int rank);
  bool has_failed();
  /// True if the provider has something that is on its way to a rank.
  bool is_on_its_way(int rank);
  /// To be called for a rank that its pulse does not reach: what waits for it fails, unless the provider has something that is on its way there.
  void give_up(int rank, const char *call);
  /// Waits until what `call` has sent, and all answers, have left this process: the caller may go where it serves nobody.
  Status see_off(const char *call);
  /// The same without waiting: `again` until then.
  Status look_seen_off(const char *call);
  /// A rank of another node, in messages.
  std::string name_of(int rank) const;
  /// Fails if something to any rank has failed.
  Status look_for_failure(const char *call);

 private:
  static constexpr std::size_t kMostFlights = 1024;  // to one rank: who does not take what is sent keeps none from the others

  std::unique_lock<std::mutex> lock() { return endpoint_.lock(); }
  template <class There>
  Status await(const char *call, const Link *link, const int &rank, There there);
  bool time_to_take_back();
  Status share_addresses();
  Status start_helper();
  Status reach(int rank, Link **link);
  Status reach_for(int rank, const char *call, Link **link);
  Status take_for(Link &link, const char *call, Flight **flight);
  void let_go(Question &question);
  void list(Flight &flight);
  void settle(Flight &flight);
  void fail_link(Link &link, int error, const char *call);
  bool is_held_by_provider(const Flight &flight);
  bool holds_any(const Link &link);
  int find_under_way(const char *call) const;
  Status late(const char *call, int rank) const;
  Status failure(const Link &link, const char *call) const;
  template <class Each>
  Status for_links(int rank, Each each);
  Status ask_to_confirm(Link &link, const char *call);
  Status wait_for(const Link &link, const char *call);
  static std::uint64_t ended_posts(const Link &link);
  void write(Flight &flight, Message message, const void *operands, std::int64_t bytes);
  void write_request(Flight &flight, const Message &message, const void *operands, std::int64_t bytes);

  bool carry_out(const Message &message, const char *operands, std::int64_t bytes);
  bool take_answer(const Message &message);
  Status reply(const Message &answer);

  Communicator &communicator_;
  Leaders &leaders_;
  Endpoint &endpoint_;
  Pulses &pulses_;
  NetworkPort &port_;
  transport::Choice choice_;
  bool open_ = false;
  Directory<Whereabouts> ranks_;
  Directory<transport::Address> doors_;  // of helpers, where there are any: at which the ranks are reached
  std::map<int, Link> links_;
  Service service_;
  std::vector<Message> put_off_;  // requests for memory that another rank of the node changes just now
  std::uint32_t next_segment_ = 0, next_own_part_ = 0;
  Flights flights_;
  std::unique_ptr<Helper> helper_;
  std::uint64_t begun_ = 0, progress_ = 0;
  int answers_ = 0;  // under way
  int failed_links_ = 0;
};

}  // namespace halocline
