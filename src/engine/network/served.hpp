// Memory of a rank that queries of ranks of other nodes may touch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/notifications.hpp"
#include "engine/memory/node_lock.hpp"
#include "transport/shm/region.hpp"

namespace halocline::core {

/// The bytes before a part's data, the target of notifications without data.
inline constexpr std::int64_t kDummyTarget = kLinePair;

/// Memory of a rank that queries may touch.
struct Served {
  char *data = nullptr;
  std::int64_t bytes = 0;
  NotificationWords words;
  // The object that the notifications begin, if it is not that of the data.
  const transport::shm::ObjectAddress *notifications_object = nullptr;
  // The lock for atomics on the data, if other ranks of the node do them by reading and writing.
  NodeLock lock = {};
  // No other process changes numbers of the data, and this one only while it pauses the service of requests (RequestEngine::pause_request_service).
  bool is_alone = false;
};

/// Result of a query. refused: it is not valid; later: another rank of the node holds the memory's lock.
enum class Outcome { done, refused, later };

}  // namespace halocline::core
