// Reads libfabric's completion queue. Only the files of this folder that include libfabric's headers see it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fi_eq.h>
#include <sys/types.h>

#include <array>
#include <cstdint>

#include "transport/network.hpp"

namespace halocline::core::transport::ofi {

/// An entry of the completion queue.
struct Completion {
  /// foreign: what belongs to no transfer and no peer of the job. nothing: an entry to be ignored.
  enum class Kind : int { ended, received, immediate, foreign, nothing };

  Kind kind = Kind::nothing;
  Transfer *transfer = nullptr;  // of ended and received
  std::size_t bytes = 0;  // of a received message
  std::uint64_t data = 0;  // immediate data
  int error = 0;  // an errno or the provider's own number, for an entry of the queue of errors
};

/// sockets flags the end of a write with immediate data at its origin, too.
inline bool is_immediate(std::uint64_t flags) {
  return (flags & FI_REMOTE_CQ_DATA) != 0 && ((flags & FI_REMOTE_WRITE) != 0 || (flags & FI_WRITE) == 0);
}

inline Completion completion_of(const fi_cq_data_entry &entry) {
  auto *const transfer = static_cast<Transfer *>(entry.op_context);
  if ((entry.flags & FI_RECV) != 0)
    return {.kind = transfer ? Completion::Kind::received : Completion::Kind::foreign, .transfer = transfer, .bytes = entry.len};
  if (is_immediate(entry.flags)) return {.kind = Completion::Kind::immediate, .data = entry.data};
  return {.kind = transfer ? Completion::Kind::ended : Completion::Kind::nothing, .transfer = transfer};
}

/// Takes an entry from the queue of errors. Errors at the target of a peer's write, and errors without a transfer, are foreign.
Completion read_error(fid_cq *queue);

/// Calls take_in(completion) for all that is in the queue.
template <class TakeIn>
void read_completions(fid_cq *queue, TakeIn take_in) {
  std::array<fi_cq_data_entry, 16> entries;
  while (true) {
    const ssize_t count = fi_cq_read(queue, entries.data(), entries.size());
    if (count == -FI_EAVAIL) take_in(read_error(queue));
    if (count <= 0) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) take_in(completion_of(entries[i]));
    // A read that finds the queue empty would cost as much as one that returns an entry.
    if (static_cast<std::size_t>(count) < entries.size()) return;
  }
}

}  // namespace halocline::core::transport::ofi
