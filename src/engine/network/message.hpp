// Active messages between ranks of different nodes, for what a write or a read cannot do: an atomic, a notification, a confirmation of
// arrival.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::core {

/// A query or its reply, as it is sent; the operands of `accumulate` follow it. Received messages are checked before they are used
/// (engine/network/service.cpp).
struct Message {
  enum class Kind : std::uint32_t { reply, combine, compare, accumulate, notify, confirm };

  std::uint64_t secret = 0;  // of the job
  Kind kind = Kind::reply;
  std::int32_t origin = 0;  // the rank that asks, or replies
  std::uint32_t request = 0, use = 0;  // of the query, to find it again
  std::uint32_t segment = 0;
  std::int16_t op = 0, type = 0;
  std::int32_t target = 0;  // the rank that is asked, or whose reply is awaited
  std::uint32_t id = 0;  // of a notification
  std::int64_t offset = 0, count = 0;
  std::uint64_t operand = 0, expected = 0;  // numbers as their bytes; also the old value in a reply, and a notification's value
};
static_assert(sizeof(Message) == 72);

}  // namespace halocline::core
