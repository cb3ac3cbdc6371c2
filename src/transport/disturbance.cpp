// Random refusals of a network with reduced capabilities.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/disturbance.hpp"

namespace halocline::core::transport {

std::uint32_t Disturbance::draw() {
  dice_ = dice_ * 1664525 + 1013904223;
  return dice_ >> 16;
}

bool Disturbance::refuses(const Transfer &transfer) {
  if (fake_ == Fake::crowded) return transfer.kind != Transfer::Kind::send && is_crowded();
  return draw() % 3 != 0;
}

/// True for some milliseconds, from a transfer that is chosen at random, one in four.
bool Disturbance::is_crowded() {
  constexpr std::chrono::milliseconds length{3};
  const auto now = std::chrono::steady_clock::now();
  if (now < room_from_) return true;
  if (draw() % 4 != 0) return false;
  room_from_ = now + length;
  return true;
}

}  // namespace halocline::core::transport
