// What a network with reduced capabilities does to transfers, for tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>

#include "transport/network.hpp"

namespace halocline::core::transport {

/// Nothing for a real network. One thread at a time.
class Disturbance {
 public:
  Disturbance() = default;
  Disturbance(Fake fake, std::uint32_t seed) : fake_(fake), dice_(seed) {}

  bool is_unordered() const { return transport::is_unordered(fake_); }
  /// An unordered network holds back two of three transfers at random. A crowded one holds back all but messages while is_crowded.
  bool holds_back(const Transfer &transfer) { return fake_ != Fake::no && transfer.kind != Transfer::Kind::receive && refuses(transfer); }

 private:
  bool refuses(const Transfer &transfer);
  bool is_crowded();
  std::uint32_t draw();

  Fake fake_ = Fake::no;
  std::uint32_t dice_ = 0;
  std::chrono::steady_clock::time_point room_from_{};  // end of the period without room in a crowded network
};

}  // namespace halocline::core::transport
