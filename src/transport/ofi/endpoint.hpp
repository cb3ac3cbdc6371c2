// This process's libfabric endpoint: RDMA writes, RDMA reads and small messages. A write announces itself by its immediate data (remote CQ
// data), which the target reads from its completion queue once the bytes are placed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/atomics.hpp"
#include "base/notifications.hpp"
#include "transport/ended.hpp"
#include "transport/ofi/backlog.hpp"

namespace halocline::core::transport::ofi {

struct State;

/// The endpoint with its queues and tables. transport/network.hpp describes each member.
class Endpoint {
 public:
  Endpoint();
  Endpoint(const Endpoint &) = delete;
  Endpoint &operator=(const Endpoint &) = delete;
  ~Endpoint();

  static Status choose(const Wish &wish, Choice *choice);
  Status open(const Wish &wish, const Choice &choice);
  /// The provider may refuse while memory is registered: then the destructor closes libfabric's endpoint.
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
  bool carries_values() const { return word_bytes_ >= sizeof(std::uint64_t); }
  Status register_words(const NotificationWords &words, std::uint64_t *words_id);
  void release_words(std::uint64_t words_id);
  static std::uint64_t immediate_data(std::uint64_t words_id, std::uint32_t id, std::uint32_t value) {
    return words_id | std::uint64_t{id} << 32 | value;
  }
  void count_foreign() { foreign_.fetch_add(1, std::memory_order_relaxed); }
  /// Includes errors that belong to no transfer.
  std::uint64_t foreign() const { return foreign_.load(std::memory_order_relaxed); }

  std::int64_t most_bytes() const { return most_bytes_; }
  bool registers_sources() const { return registers_sources_; }
  /// The provider keeps the order in which transfers are handed to it, and the backlog hands them over in order.
  bool keeps_order() const { return keeps_order_; }
  Status register_source(Transfer &transfer);
  void start(Transfer &transfer);
  bool waits_for_room(const Transfer &transfer);
  bool withdraw(Transfer &transfer);
  void give_up(Transfer &transfer, int error);
  std::uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  bool has_room() const { return held_.load(std::memory_order_relaxed) <= most_held_ / 2; }

  void poll();
  void sleep(int until, long timeout_ns);
  Transfer *take_ended();
  bool any_ended() const { return ended_.any(); }
  std::uint64_t polls() const { return polls_.load(std::memory_order_relaxed); }
  std::uint64_t events() const { return events_.load(std::memory_order_relaxed); }

 private:
  friend class Region;
  struct Registered {
    Counter *counter = nullptr;
    std::uint64_t word = 0;
  };
  struct KnownPeer {
    Peer peer = 0;
    int users = 0;
  };
  using KnownPeers = std::map<Address, KnownPeer>;

  std::unique_lock<std::mutex> lock() { return many_threads_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>(); }
  void abandon(KnownPeers::iterator known);
  bool try_start(Transfer &transfer);
  bool hold_back(const Transfer &transfer);
  bool is_crowded();
  std::int64_t hand_over(Transfer &transfer);
  void read_queue();
  void receive(void *transfer, std::size_t bytes);
  void read_error();
  void take_immediate(std::uint64_t word);
  void set_value(std::uint64_t word);
  void hold(int more) { held_.store(held_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed); }
  void complete(Transfer &transfer, int error);
  void end(Transfer &transfer, int error);

  std::unique_ptr<State> state_;  // libfabric's objects
  std::string description_, library_file_;
  Address address_;
  std::int64_t most_bytes_ = 0;
  KnownPeers known_peers_;
  std::vector<Registered> counters_;
  std::vector<std::size_t> free_counters_;
  std::map<std::uint64_t, NotificationWords> words_;  // by id
  Backlog backlog_;  // transfers that wait for room in the provider
  EndedTransfers ended_;
  std::size_t word_bytes_ = 0, inject_bytes_ = 0;
  std::int64_t most_held_ = 0;  // transfers to peers that the provider reports room for
  bool registers_sources_ = false, keeps_order_ = false;
  bool overtakes_ = false;  // Fake::unordered or poor
  std::uint32_t dice_ = 0;  // not 0: transfers are held back at random
  bool crowded_ = false;
  std::chrono::steady_clock::time_point room_from_{};  // end of the period without room in a crowded network
  std::atomic<std::uint64_t> foreign_{0}, polls_{0}, events_{0}, taken_{0};
  std::atomic<std::int64_t> held_{0};  // of those taken, not complete yet; written under the lock
  int wait_object_ = -1;  // readable when something has arrived; belongs to the completion queue
  bool many_threads_ = false;
  std::mutex mutex_;
};

static_assert(NetworkEndpointContract<Endpoint>);

}  // namespace halocline::core::transport::ofi
