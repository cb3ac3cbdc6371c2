// The messages about wrong arguments.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/arguments.hpp"

namespace halocline::core {

Status wrong_data(const char *call, Target target, std::int64_t bytes) {
  if (bytes > 0) return null_argument(call, target, "data");
  return fail(Status::argument, "%s on rank %d: bytes is %lld but must be 0 or more", call, calling_rank(target),
              static_cast<long long>(bytes));
}

Status null_argument(const char *call, Target target, const char *argument) {
  return fail(Status::argument, "%s on rank %d: %s is NULL", call, calling_rank(target), argument);
}

Status wrong_id(const char *call, const RemoteMemory &memory, const char *argument, int id) {
  if (memory.notifications() == 0)
    return fail(Status::argument, "%s on rank %d: %s is %d, but the segment was created without notifications", call,
                memory.communicator().rank(), argument, id);
  return fail(Status::argument, "%s on rank %d: %s is %d but must be 0 to %d", call, memory.communicator().rank(), argument, id,
              memory.notifications() - 1);
}

Status wrong_notification(const char *call, const RemoteMemory &memory, hlc_notification notification) {
  const int id = notification.id;
  if (id < 0 || id >= memory.notifications()) return wrong_id(call, memory, "notification.id", id);
  return fail(Status::argument, "%s on rank %d: notification.value is 0 for id %d; it must not be 0", call, memory.communicator().rank(),
              id);
}

}  // namespace halocline::core
