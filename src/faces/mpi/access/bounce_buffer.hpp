// Reads from another node through a bounce buffer, which outlives a failed wait.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/leaked_on_failure.hpp"
#include "engine/rma/operations.hpp"

namespace halocline::core::mpi {

/// The network writes here. After a failure it may still do so, and the buffer is leaked.
struct BounceBuffer : LeakedOnFailure {
  explicit BounceBuffer(std::int64_t count) : bytes(static_cast<std::size_t>(count)) {}
  std::vector<char> bytes;
};

/// Gets bytes of another node, and waits for them.
inline Status read_far(const char *call, Target from, Sink sink) {
  auto bounce = std::make_unique<BounceBuffer>(sink.bytes);
  Status status = core::get(call, from, {bounce->bytes.data(), sink.bytes});
  if (!failed(status)) status = flush_local(call, from.memory);
  if (failed(status))
    leak(std::move(bounce));
  else
    std::memcpy(sink.data, bounce->bytes.data(), bounce->bytes.size());
  return status;
}

}  // namespace halocline::core::mpi
