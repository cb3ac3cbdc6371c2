// What the operations check of their arguments, besides the offset (find_path).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include "engine/rma/remote_memory.hpp"

namespace halocline::core {

/// The rank that calls, for messages.
inline int calling_rank(Target target) { return target.memory.communicator().rank(); }

Status wrong_bytes(const char *call, Target target, std::int64_t bytes);
Status null_argument(const char *call, Target target, const char *argument);
/// An id that is no notification's.
Status wrong_id(const char *call, const RemoteMemory &memory, const char *argument, int id);
Status zero_value(const char *call, const RemoteMemory &memory, int id);

inline Status check_data(const char *call, Target target, const void *data, std::int64_t bytes) {
  if (bytes < 0) return wrong_bytes(call, target, bytes);
  return data || bytes == 0 ? Status::ok : null_argument(call, target, "data");
}

inline Status check_notification(const char *call, const RemoteMemory &memory, hlc_notification notification) {
  if (notification.id < 0 || notification.id >= memory.notifications()) return wrong_id(call, memory, "notification.id", notification.id);
  return notification.value != 0 ? Status::ok : zero_value(call, memory, notification.id);
}

}  // namespace halocline::core
