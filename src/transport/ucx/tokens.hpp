// Transfers that wait for an answer of their peer, by numbers that the peer returns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "transport/network.hpp"

namespace halocline::core::transport::ucx {

/// A token is never used twice, so that a late or a foreign answer finds nothing. One thread at a time.
class Tokens {
 public:
  std::uint64_t add(Transfer &transfer) {
    if (free_.empty()) {
      places_.emplace_back();
      free_.push_back(places_.size() - 1);
    }
    const std::size_t place = free_.back();
    free_.pop_back();
    places_[place].transfer = &transfer;
    places_[place].uses += 1;
    return std::uint64_t{places_[place].uses} << 32 | place;
  }
  /// The transfer that waits with this token, which is used no more; null if none does.
  Transfer *take(std::uint64_t token) {
    const auto place = static_cast<std::size_t>(token & 0xFFFF'FFFF);
    if (place >= places_.size() || places_[place].uses != token >> 32 || !places_[place].transfer) return nullptr;
    free_.push_back(place);
    return std::exchange(places_[place].transfer, nullptr);
  }
  /// Takes all to a peer: calls with(transfer) for each.
  template <class With>
  void take_all(Peer peer, With with) {
    for (std::size_t place = 0; place < places_.size(); ++place) {
      Transfer *const transfer = places_[place].transfer;
      if (!transfer || transfer->peer != peer) continue;
      places_[place].transfer = nullptr;
      free_.push_back(place);
      with(*transfer);
    }
  }

 private:
  struct Place {
    Transfer *transfer = nullptr;
    std::uint32_t uses = 0;
  };
  std::vector<Place> places_;
  std::vector<std::size_t> free_;
};

}  // namespace halocline::core::transport::ucx
