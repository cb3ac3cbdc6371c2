// This process's libfabric endpoint: RDMA writes, RDMA reads and small messages. A write announces itself by its immediate data (remote CQ
// data), which the target reads from its completion queue once the bytes are placed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>

#include "transport/backlog.hpp"
#include "transport/disturbance.hpp"
#include "transport/ended.hpp"
#include "transport/endpoint_report.hpp"
#include "transport/immediate_data.hpp"
#include "transport/ofi/long_transfers.hpp"
#include "transport/ofi/peers.hpp"

namespace halocline::core::transport::ofi {

struct Completion;
struct State;

/// The endpoint with its queues and tables, each of which is used under its lock. transport/network.hpp describes each member. `foreign`
/// includes errors that belong to no transfer.
class Endpoint : public EndpointReport {
 public:
  Endpoint();
  Endpoint(const Endpoint &) = delete;
  Endpoint &operator=(const Endpoint &) = delete;
  ~Endpoint();

  static Status choose(const Wish &wish, Choice *choice);
  Status open(const Wish &wish, const Choice &choice);
  /// The provider may refuse while memory is registered: then the destructor closes libfabric's endpoint.
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

  std::unique_lock<std::mutex> lock() { return many_threads_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>(); }
  void report_abilities(const Choice &choice);
  void take_in_what_arrives(long quiet_ns);
  bool try_start(Transfer &transfer);
  void take_in(const Completion &completion);
  void take_immediate(std::uint64_t data);
  void end(Transfer &transfer, int error);

  std::unique_ptr<State> state_;  // libfabric's objects
  Peers peers_;
  ImmediateDataTable immediate_data_;
  Backlog backlog_;  // transfers that wait for room in the provider
  LongTransfers long_transfers_;
  EndedTransfers ended_;
  Disturbance disturbance_;
  bool many_threads_ = false;
  std::mutex mutex_;
};

static_assert(NetworkEndpointContract<Endpoint>);

}  // namespace halocline::core::transport::ofi
