// An endpoint on the network of one process, for tests: ranks are threads, or objects of one thread. It refuses transfers that it has no
// room for. It completes late and out of order as far as the contract allows, and checks the transfers it is given.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <list>
#include <map>

#include "support/loopback/chance.hpp"
#include "support/loopback/fabric.hpp"
#include "transport/ended.hpp"
#include "transport/endpoint_report.hpp"

namespace halocline::core::transport::loopback {

/// transport/network.hpp describes each member. Any thread may call.
class Endpoint : public EndpointReport {
 public:
  Endpoint() = default;
  Endpoint(const Endpoint &) = delete;
  Endpoint &operator=(const Endpoint &) = delete;
  ~Endpoint() { close_endpoint(); }

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

  bool is_refused(const Transfer &transfer);
  int fault_of(const Transfer &transfer) const;
  bool try_start(Transfer &transfer);
  void send(Transfer &transfer);
  void retry();
  bool take_back(Transfer &transfer);
  void take_in(const Event &event);
  void end(Transfer &transfer, int error);

  Fabric &fabric_ = Fabric::instance();
  Peer number_ = 0;
  std::map<Peer, int> peers_;  // how often each has been resolved
  ImmediateDataTable immediate_data_;
  std::list<Transfer *> waiting_;  // for room, in the order of their start
  EndedTransfers ended_;
  Chance chance_;
};

static_assert(NetworkEndpointContract<Endpoint>);

}  // namespace halocline::core::transport::loopback
