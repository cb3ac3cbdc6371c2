// The peers whose addresses libfabric's address vector holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>

#include "transport/network.hpp"

namespace halocline::core::transport::ofi {

struct State;

/// Counts how often each peer has been resolved. One thread at a time.
class Peers {
 public:
  void open(const State &state) { state_ = &state; }
  Status resolve(const Address &address, Peer *peer);
  /// Returns the peer if this was its last release.
  std::optional<Peer> release(const Address &address) { return release(known_.find(address)); }
  std::optional<Peer> release(Peer peer);

 private:
  struct Known {
    Peer peer = 0;
    int users = 0;
  };
  std::optional<Peer> release(std::map<Address, Known>::iterator known);

  const State *state_ = nullptr;
  std::map<Address, Known> known_;
};

}  // namespace halocline::core::transport::ofi
