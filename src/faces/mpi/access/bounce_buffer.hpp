// Reads from another node into memory that outlives a failed wait.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/leaked_on_failure.hpp"
#include "engine/rma/operations.hpp"

namespace halocline::core::mpi {

/// Where a read lands. After a failure the network may still write there.
struct Landing : LeakedOnFailure {
  explicit Landing(std::int64_t count) : bytes(static_cast<std::size_t>(count)) {}
  std::vector<char> bytes;
};

/// Gets bytes of another node, and waits for them.
inline Status read_far(const char *call, Target from, Sink sink) {
  auto landing = std::make_unique<Landing>(sink.bytes);
  Status status = core::get(call, from, {landing->bytes.data(), sink.bytes});
  if (!failed(status)) status = flush_local(call, from.memory);
  if (failed(status))
    leak(std::move(landing));
  else
    std::memcpy(sink.data, landing->bytes.data(), landing->bytes.size());
  return status;
}

}  // namespace halocline::core::mpi
