// The network between the endpoints of one process: their registered memory, and the packets under way to each. It is the reference that
// other networks are compared with: one lock, copies, no optimisation. At random it delays and reorders as far as the contract allows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <vector>

#include "transport/network.hpp"

namespace halocline::core::transport::loopback {

/// An entry of an endpoint's completion queue: a transfer of its own that has ended, or immediate data.
struct Event {
  Transfer *transfer = nullptr;
  int error = 0;
  std::uint64_t data = 0;
};

/// A transfer under way.
struct Packet {
  Peer origin = 0;
  Transfer *transfer = nullptr;  // null once it is complete: then its source has been copied
  Transfer::Kind kind = Transfer::Kind::write;
  bool in_order = false;  // a message waits for earlier writes of its origin
  const char *from = nullptr;
  char *into = nullptr;
  std::int64_t bytes = 0;
  RemoteKey to;
  std::uint64_t data = 0;
  std::vector<char> copy = {};
};

/// Registered memory. The address of this struct is the descriptor of transfers from and into it.
struct Memory {
  Peer owner = 0;
  char *base = nullptr;
  std::int64_t bytes = 0;
  Use use = Use::for_peers;
  std::uint64_t key = 0;
};

/// All endpoints, by number, and all registered memory, by key. The caller holds the lock.
class Fabric {
 public:
  static Fabric &instance();
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  Peer attach();
  /// Transfers to it fail, and its own incomplete transfers are dropped.
  void detach(Peer endpoint);

  /// Registers memory under a new key.
  Memory *register_memory(const Memory &memory);
  void unregister(const Memory &memory) { memory_.erase(memory.key); }
  /// Finds `bytes` at `at` in the memory that `owner` has registered for peers; null if they are not registered. Addresses are offsets in
  /// the region.
  char *find(Peer owner, RemoteKey at, std::int64_t bytes) const;
  /// True if the descriptor is that of memory for its owner's transfers, and it contains all of these bytes.
  bool is_source(const void *desc, const char *base, std::int64_t bytes) const;

  void send(Peer to, const Packet &packet);
  /// Bytes under way between two endpoints.
  std::int64_t under_way(Peer origin, Peer to) const;
  /// Adds a receive buffer of an endpoint.
  void add_buffer(Peer endpoint, Transfer &buffer) { endpoints_.at(endpoint).buffers.push_back(&buffer); }
  void report(Peer endpoint, const Event &event);
  /// Delivers packets to an endpoint, except those for which late() returns true.
  void deliver(Peer endpoint, const std::function<bool()> &late);
  /// The oldest event of an endpoint; false if there is none.
  bool take(Peer endpoint, Event *event);

 private:
  struct FabricEndpoint {
    std::list<Packet> arriving;
    std::deque<Transfer *> buffers;
    std::deque<Event> events;
  };
  void arrive(Peer at, FabricEndpoint &target, const Packet &packet);
  int copy_message(FabricEndpoint &target, const Packet &packet);
  int access(Peer target, const Packet &packet);
  void finish(const Packet &packet, int error);

  std::mutex mutex_;
  Peer last_ = 0;
  std::uint64_t last_key_ = 0;
  std::map<Peer, FabricEndpoint> endpoints_;
  std::map<std::uint64_t, Memory> memory_;
};

}  // namespace halocline::core::transport::loopback
