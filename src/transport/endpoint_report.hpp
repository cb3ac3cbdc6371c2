// What the endpoint of any network reports about itself: its name, its abilities, and counts of what it has done.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>

#include "transport/immediate_data.hpp"
#include "transport/network.hpp"

namespace halocline::core::transport {

/// The readers of each network's Endpoint, which derives from this and writes the data. transport/network.hpp describes each.
class EndpointReport {
 public:
  const std::string &description() const { return description_; }
  const std::string &library_file() const { return library_file_; }
  const Address &address() const { return address_; }

  bool carries_values() const { return abilities_.carries_values; }
  std::int64_t most_bytes() const { return abilities_.most_bytes; }
  std::int64_t piece_bytes() const { return std::min(abilities_.piece_bytes, abilities_.most_bytes); }
  bool registers_sources() const { return abilities_.registers_sources; }
  bool sends_tails() const { return abilities_.sends_tails; }
  bool keeps_order() const { return abilities_.keeps_order; }
  static std::uint64_t immediate_data(std::uint64_t words_id, std::uint32_t id, std::uint32_t value) {
    return ImmediateDataTable::data_of(words_id, id, value);
  }
  static std::uint64_t immediate_data(std::uint64_t words_id, std::uint64_t code) { return ImmediateDataTable::data_of(words_id, code); }

  void count_foreign() { foreign_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t foreign() const { return foreign_.load(std::memory_order_relaxed); }
  std::uint64_t polls() const { return polls_.load(std::memory_order_relaxed); }
  std::uint64_t events() const { return events_.load(std::memory_order_relaxed); }
  std::uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  bool has_room() const { return held_.load(std::memory_order_relaxed) <= abilities_.few_transfers; }

 protected:
  /// Set when the endpoint opens.
  struct Abilities {
    bool carries_values = false, registers_sources = false, sends_tails = false, keeps_order = false;
    std::int64_t most_bytes = 0;  // of a transfer
    std::int64_t piece_bytes = std::numeric_limits<std::int64_t>::max();
    std::int64_t few_transfers = 0;  // up to this number do not fill the network
  };

  ~EndpointReport() = default;

  // With the endpoint's lock:
  void count_poll() { polls_.store(polls() + 1, std::memory_order_relaxed); }
  void count_event() { events_.store(events() + 1, std::memory_order_relaxed); }
  /// The network has accepted a transfer to a peer.
  void count_taken() {
    taken_.store(taken() + 1, std::memory_order_relaxed);
    hold(+1);
  }
  /// A transfer to a peer is complete.
  void count_complete() { hold(-1); }

  std::string description_, library_file_;
  Address address_;
  Abilities abilities_;

 private:
  void hold(int more) { held_.store(held_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed); }

  std::atomic<std::uint64_t> foreign_{0}, polls_{0}, events_{0}, taken_{0};
  std::atomic<std::int64_t> held_{0};  // accepted, not complete yet
};

}  // namespace halocline::core::transport
