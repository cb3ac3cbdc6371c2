// Messages that arrive, and the buffers for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <vector>

#include "transport/network.hpp"
#include "transport/ucx/order.hpp"
#include "transport/ucx/over.hpp"

namespace halocline::core::transport::ucx {

struct Arrival;

/// One thread at a time.
class Inbox {
 public:
  explicit Inbox(Over &over) : over_(over) {}
  /// A buffer for a message, which may be there already.
  void give(Transfer &buffer);
  /// A message; false if it is malformed.
  bool take(const Arrival &arrival);
  /// A write or a message has arrived: messages that have waited for it follow.
  void count(std::uint64_t stream);

 private:
  void deliver(const char *from, std::size_t bytes);
  void fill(Transfer &buffer, const char *from, std::size_t bytes);

  Over &over_;
  Order order_;
  std::deque<Transfer *> buffers_;            // without a message
  std::deque<std::vector<char>> unexpected_;  // without a buffer
};

}  // namespace halocline::core::transport::ucx
