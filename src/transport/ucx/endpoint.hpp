// This process's UCX worker, with a UCX endpoint for each peer that it has talked to. UCX has no immediate data: a write that announces itself is
// an active message, or RMA that is flushed before an active message follows (docs/design/044-ucx.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>

#include "transport/backlog.hpp"
#include "transport/disturbance.hpp"
#include "transport/ended.hpp"
#include "transport/endpoint_report.hpp"
#include "transport/immediate_data.hpp"
#include "transport/ucx/exposed.hpp"
#include "transport/ucx/inbox.hpp"
#include "transport/ucx/outbox.hpp"

namespace halocline::core::transport::ucx {

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
  void report_abilities(const Choice &choice, bool one_sided);
  bool try_start(Transfer &transfer);

  std::unique_ptr<State> state_;  // UCX's objects
  Exposed exposed_;  // memory that peers may access
  Over over_;
  Outbox outbox_{over_};
  Inbox inbox_{over_};
  ImmediateDataTable immediate_data_;
  Backlog backlog_;  // transfers that a network with reduced capabilities has no room for
  EndedTransfers ended_;
  Disturbance disturbance_;
  bool many_threads_ = false;
  std::mutex mutex_;
};

static_assert(NetworkEndpointContract<Endpoint>);

}  // namespace halocline::core::transport::ucx
