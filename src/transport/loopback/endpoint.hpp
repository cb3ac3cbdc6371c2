// An endpoint on the network of one process, for tests: ranks are threads, or objects of one thread. It refuses transfers that it has no
// room for. It completes late and out of order as far as the contract allows, and checks the transfers it is given.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <list>
#include <map>
#include <mutex>
#include <random>
#include <string>

#include "transport/ended.hpp"
#include "transport/loopback/fabric.hpp"

namespace halocline::core::transport::loopback {

/// transport/network.hpp describes each member. Any thread may call.
class Endpoint {
 public:
  Endpoint() = default;
  Endpoint(const Endpoint &) = delete;
  Endpoint &operator=(const Endpoint &) = delete;
  ~Endpoint() { close_endpoint(); }

  static Status choose(const Wish &wish, Choice *choice);
  Status open(const Wish &wish, const Choice &choice);
  void close_endpoint();
  const std::string &description() const { return description_; }
  const std::string &library_file() const { return library_file_; }
  const char *text_of(int error) const;

  const Address &address() const { return address_; }
  Status resolve(const Address &address, Peer *peer);
  void release_peer(const Address &address);
  void release_peer(Peer peer);

  std::uint64_t register_counter(Counter *counter);
  void release_counter(std::uint64_t word);
  bool carries_values() const { return !poor_; }
  Status register_words(const NotificationWords &words, std::uint64_t *words_id);
  void release_words(std::uint64_t words_id);
  static std::uint64_t immediate_data(std::uint64_t words_id, std::uint32_t id, std::uint32_t value) {
    return words_id | std::uint64_t{id} << 32 | value;
  }
  void count_foreign() { foreign_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t foreign() const { return foreign_.load(std::memory_order_relaxed); }

  std::int64_t most_bytes() const { return overtakes_ ? kMostBytesIfFake : kMostBytes; }
  bool registers_sources() const { return poor_; }
  bool keeps_order() const { return !overtakes_; }
  Status register_source(Transfer &transfer);
  void start(Transfer &transfer);
  bool waits_for_room(const Transfer &transfer);
  bool withdraw(Transfer &transfer);
  void give_up(Transfer &transfer, int error);
  std::uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  bool has_room() const { return held_.load(std::memory_order_relaxed) <= kFewTransfers; }

  void poll();
  void sleep(int until, long timeout_ns);
  Transfer *take_ended();
  bool any_ended() const { return ended_.any(); }
  std::uint64_t polls() const { return polls_.load(std::memory_order_relaxed); }
  std::uint64_t events() const { return events_.load(std::memory_order_relaxed); }

 private:
  friend class Region;
  static constexpr std::int64_t kMostBytes = 1 << 16, kMostBytesIfFake = 5000;
  static constexpr std::int64_t kRoomBytes = 1 << 14;  // under way to one peer
  static constexpr std::int64_t kAlwaysRoomBytes = 64;
  static constexpr std::int64_t kFewTransfers = 32;

  bool dice(unsigned one_in) { return dice_() % one_in == 0; }
  bool has_to_wait(const Transfer &transfer) const;
  bool is_refused(const Transfer &transfer);
  int fault_of(const Transfer &transfer) const;
  bool try_start(Transfer &transfer);
  void send(Transfer &transfer);
  Packet packet_of(Transfer &transfer) const;
  void retry();
  bool take_back(Transfer &transfer);
  void take_in(const Event &event);
  void take_immediate(std::uint64_t data);
  void end(Transfer &transfer, int error);

  Fabric &fabric_ = Fabric::instance();
  Peer number_ = 0;
  std::string description_ = "loopback between the threads of a process", library_file_;
  Address address_;
  std::map<Peer, int> peers_;  // how often each has been resolved
  std::map<std::uint64_t, Counter *> counters_;  // by immediate data
  std::uint64_t last_word_ = 0, last_words_id_ = 0;
  std::map<std::uint64_t, NotificationWords> words_;  // by id
  std::list<Transfer *> waiting_;  // for room, in the order of their start
  EndedTransfers ended_;
  bool poor_ = false, overtakes_ = false, crowded_ = false, fake_ = false;
  int refusals_left_ = 0;  // by a crowded network
  std::minstd_rand dice_;
  std::atomic<std::uint64_t> foreign_{0}, polls_{0}, events_{0}, taken_{0};
  std::atomic<std::int64_t> held_{0};
};

static_assert(NetworkEndpointContract<Endpoint>);

}  // namespace halocline::core::transport::loopback
