// The message about bytes that are not within a rank's memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/remote_memory.hpp"

namespace halocline::core {

Status wrong_extent(const char *call, Target target, Extent extent) {
  return fail(Status::argument, "%s on rank %d: offset is %lld: bytes %lld to %lld from there are not within the %lld bytes of rank %d",
              call, target.memory.communicator().rank(), static_cast<long long>(target.offset), static_cast<long long>(extent.low),
              static_cast<long long>(extent.high), static_cast<long long>(target.memory.bytes()), target.memory.rank());
}

}  // namespace halocline::core
