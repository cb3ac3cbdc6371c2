// The ports of the nodes. Each sends and receives at the network's bandwidth. All long operations under way share it evenly, as packets of several
// ranks alternate; short ones pass between the packets, one after the other.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace simulate {

/// One direction of a port. Operations have numbers.
class Direction {
 public:
  /// When a short operation that arrives now has passed.
  double pass(double now, double duration_us) {
    free_ = std::max(free_, now) + duration_us;
    return free_;
  }

  /// A long operation begins, which alone would take `duration_us`.
  void begin(double now, double duration_us, int operation) {
    advance(now);
    under_way_.push({served_ + duration_us, operation});
  }
  /// When the first of the long operations ends if none begins before; nothing if that has been asked for a time that is no later.
  std::optional<double> look_again() {
    if (under_way_.empty()) return std::nullopt;
    const double at = time_ + left() * static_cast<double>(under_way_.size());
    if (at >= looks_at_) return std::nullopt;
    looks_at_ = at;
    return at;
  }
  /// It is the time that was asked for. Whether an operation has ended; others may have made it slower.
  bool has_ended(double now) {
    if (now < looks_at_ || under_way_.empty()) return false;
    looks_at_ = HUGE_VAL;
    advance(now);
    return left() <= kSoon;
  }
  /// Ends that operation, and returns its number.
  int end() {
    const int operation = under_way_.top().second;
    served_ = under_way_.top().first;
    under_way_.pop();
    return operation;
  }

 private:
  using Operation = std::pair<double, int>;
  /// Microseconds that are nothing: rounding.
  static constexpr double kSoon = 1e-6;

  double left() const { return std::max(under_way_.top().first - served_, 0.0); }

  void advance(double now) {
    if (!under_way_.empty()) served_ += (now - time_) / static_cast<double>(under_way_.size());
    time_ = now;
  }

  double free_ = 0;  ///< of short operations
  double time_ = 0;  ///< of the last change
  double served_ = 0;  ///< what each operation has got that was under way all the time
  double looks_at_ = HUGE_VAL;  ///< the time of the next look
  std::priority_queue<Operation, std::vector<Operation>, std::greater<>> under_way_;  ///< by `served_` at their ends
};

/// A node's port.
struct Port {
  Direction out, in;
};

/// How long an operation of so many bytes takes a port that has nothing else to do.
inline double duration_us(const Network &network, double bytes) { return std::max(network.operation_us, bytes * network.us_per_byte); }

}  // namespace simulate
