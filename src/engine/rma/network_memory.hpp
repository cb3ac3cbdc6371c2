// What the engine holds for the network, by the sizes of its structures. For reports: halocline-info computes larger jobs with it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "engine/network/liveness.hpp"
#include "engine/network/request_pool.hpp"
#include "engine/network/service.hpp"
#include "engine/rma/exposed_memory.hpp"

namespace halocline::core {

/// In bytes, without the network's own memory, such as the buffers of connections.
struct NetworkMemory {
  std::int64_t process = 0;  // buffers that a process receives in and sends from, for a job of any size
  std::int64_t peer = 0;  // for each rank of another node that is communicated with
  std::int64_t address = 0, descriptor = 0;  // for each rank of the job, once per node: for the context, and for each segment
};

inline NetworkMemory network_memory() {
  constexpr std::int64_t map_node = 4 * sizeof(void *) + sizeof(int);  // beside the entry
  const std::int64_t connection = sizeof(Connection) + map_node, probe = Liveness::bytes_per_rank() + map_node;
  const std::int64_t peer = sizeof(transport::Address) + sizeof(transport::Peer) + map_node;
  return {.process = ReceiveBuffers::kBytes + RequestPool::kChunkBytes,
          .peer = connection + probe + peer,
          .address = sizeof(RankAddress),
          .descriptor = sizeof(RemoteDescriptor)};
}

}  // namespace halocline::core
