// Insertion into the address vector, and removal.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/peers.hpp"

#include <algorithm>

#include "transport/ofi/state.hpp"

namespace halocline::core::transport::ofi {

Status Peers::resolve(const Address &address, Peer *peer) {
  Known &known = known_[address];
  if (known.users == 0) {
    fi_addr_t number = FI_ADDR_UNSPEC;
    if (fi_av_insert(state_->addresses, address.text, 1, &number, 0, nullptr) != 1) {
      known_.erase(address);
      return fail(Status::unsupported, "%s rejected a peer's address", state_->description.c_str());
    }
    known.peer = number;
  }
  known.users += 1;
  *peer = known.peer;
  return Status::ok;
}

std::optional<Peer> Peers::release(Peer peer) {
  return release(std::find_if(known_.begin(), known_.end(), [&](const auto &known) { return known.second.peer == peer; }));
}

std::optional<Peer> Peers::release(std::map<Address, Known>::iterator known) {
  if (known == known_.end() || --known->second.users > 0) return std::nullopt;
  fi_addr_t number = known->second.peer;
  fi_av_remove(state_->addresses, &number, 1, 0);
  known_.erase(known);
  return number;
}

}  // namespace halocline::core::transport::ofi
