// What the operations check of their arguments, besides the offset (find_path). A check is true or false, and a function makes the error: so
// what goes well needs no register for the message.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include "engine/rma/remote_memory.hpp"

namespace halocline::core {

/// The rank that calls, for messages.
inline int calling_rank(Target target) { return target.memory.communicator().rank(); }

/// The error of bytes that are not there.
Status wrong_data(const char *call, Target target, std::int64_t bytes);
Status null_argument(const char *call, Target target, const char *argument);
/// The error of an invalid notification id.
Status wrong_id(const char *call, const RemoteMemory &memory, const char *argument, int id);
/// The error of an invalid notification.
Status wrong_notification(const char *call, const RemoteMemory &memory, hlc_notification notification);

inline bool is_data(const void *data, std::int64_t bytes) { return bytes == 0 || (bytes > 0 && data); }

inline bool is_notification(const RemoteMemory &memory, hlc_notification notification) {
  return notification.id >= 0 && notification.id < memory.notifications() && notification.value != 0;
}

}  // namespace halocline::core
