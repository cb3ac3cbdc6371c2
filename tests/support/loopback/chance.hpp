// Random decisions of a network, the same in each run: what is late, and what is refused.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>

#include "transport/network.hpp"

namespace halocline::core::transport::loopback {

/// The decisions of one endpoint. The caller holds the fabric's lock.
class Chance {
 public:
  Chance() = default;
  Chance(Fake fake, Peer seed) : fake_(fake), dice_(static_cast<unsigned>(seed)) {}

  bool one_in(unsigned many) { return dice_() % many == 0; }
  /// True if a network with reduced capabilities refuses a transfer: a crowded one up to thirty in a row, but no message.
  bool refuses(const Transfer &transfer) {
    if (fake_ != Fake::crowded) return fake_ != Fake::no && !one_in(3);
    if (transfer.kind == Transfer::Kind::send) return false;
    if (refusals_left_ == 0 && one_in(4)) refusals_left_ = 1 + static_cast<int>(dice_() % 30);
    if (refusals_left_ == 0) return false;
    refusals_left_ -= 1;
    return true;
  }

 private:
  Fake fake_ = Fake::no;
  int refusals_left_ = 0;  // by a crowded network
  std::minstd_rand dice_;
};

}  // namespace halocline::core::transport::loopback
