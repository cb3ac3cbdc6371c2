// This process's UCX worker, with a UCX endpoint for each peer that it has talked to. UCX has no immediate data: a write that announces itself is
// an active message, or RMA that is flushed before an active message follows (docs/design/044-ucx.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "transport/backlog.hpp"
#include "transport/disturbance.hpp"
#include "transport/ended.hpp"
#include "transport/endpoint_report.hpp"
#include "transport/immediate_data.hpp"
#include "transport/ucx/exposed.hpp"
#include "transport/ucx/order.hpp"
#include "transport/ucx/peers.hpp"
#include "transport/ucx/tokens.hpp"

namespace halocline::core::transport::ucx {

struct Answer;
struct Arrival;
struct State;

/// The worker with its tables, all used under its lock. transport/network.hpp describes each member. `foreign` includes active messages that
/// are malformed.
class Endpoint : public EndpointReport {
 public:
  Endpoint();
  Endpoint(const Endpoint &) = delete;
  Endpoint &operator=(const Endpoint &) = delete;
  ~Endpoint();

  static Status choose(const Wish &wish, Choice *choice);
  Status open(const Wish &wish, const Choice &choice);
  void close_endpoint();
  const char *text_of(int error) const;

  Status resolve(const Address &address, Peer *peer);
  void release_peer(const Address &address);
  void release_peer(Peer peer);

  std::uint64_t register_counter(Counter *counter);
  void release_counter(std::uint64_t word);
  Status register_words(const NotificationWords &words, std::uint64_t *words_id);
  void release_words(std::uint64_t words_id);

  Status register_source(Transfer &transfer);
  void start(Transfer &transfer);
  bool waits_for_room(const Transfer &transfer);
  bool withdraw(Transfer &transfer);
  void abandon(Transfer &transfer, int error);

  void poll();
  void sleep(int until, long timeout_ns);
  Transfer *take_ended();
  bool any_ended() const { return ended_.any(); }

 private:
  friend class Region;
  friend struct Handlers;

  std::unique_lock<std::mutex> lock() { return many_threads_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>(); }
  void report_abilities(const Choice &choice);
  bool try_start(Transfer &transfer);
  void give_buffer(Transfer &buffer);
  void hand_over(Transfer &transfer, Connection &connection);
  void fill_buffer(Transfer &buffer, const char *from, std::size_t bytes);
  void note_part(Transfer &transfer, int error);
  void end_soon(Transfer &transfer, int error);
  void end_those_over();
  void part_from_lost();

  // What arrives, called while UCX progresses.
  bool take_write(const Arrival &arrival);
  bool take_read(const Arrival &arrival);
  bool take_answer(const Arrival &arrival);
  bool take_message(const Arrival &arrival);
  void count_arrival(std::uint64_t stream);
  void deliver(const char *from, std::size_t bytes);
  void reply(const Arrival &arrival, const Answer &answer, std::vector<char> bytes);

  std::unique_ptr<State> state_;  // UCX's objects
  Exposed exposed_;  // memory that peers may access
  Peers peers_;
  Tokens tokens_;  // transfers that wait for an answer
  Order order_;  // of what arrives
  ImmediateDataTable immediate_data_;
  Backlog backlog_;  // transfers that a network with reduced capabilities has no room for
  Disturbance disturbance_;
  std::deque<Transfer *> buffers_;  // receive buffers without a message
  std::deque<std::vector<char>> unexpected_;  // messages without a buffer
  Transfer *over_ = nullptr, *last_over_ = nullptr;  // that the next poll ends
  EndedTransfers ended_;
  bool many_threads_ = false;
  std::mutex mutex_;
};

static_assert(NetworkEndpointContract<Endpoint>);

}  // namespace halocline::core::transport::ucx
