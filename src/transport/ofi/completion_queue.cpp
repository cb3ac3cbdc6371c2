// Errors in the completion queue.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/completion_queue.hpp"

namespace halocline::core::transport::ofi {

Completion read_error(fid_cq *queue) {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(queue, &entry, 0) <= 0) return {.error = FI_EAGAIN};
  const bool of_transfer = entry.op_context && (entry.flags & (FI_WRITE | FI_READ | FI_SEND | FI_RECV)) != 0;
  return {.kind = of_transfer ? Completion::Kind::ended : Completion::Kind::foreign,
          .transfer = of_transfer ? static_cast<Transfer *>(entry.op_context) : nullptr,
          .error = entry.err};
}

}  // namespace halocline::core::transport::ofi
