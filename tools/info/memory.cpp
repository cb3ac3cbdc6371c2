// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include "engine/rma/network_memory.hpp"

#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

namespace info {
namespace {

using common::Json;

Json of_job(std::int64_t ranks, std::int64_t ranks_of_node, const halocline::core::NetworkMemory &held) {
  const std::int64_t addresses = held.address * ranks, descriptors = held.descriptor * ranks;
  return {{"ranks", ranks},
          {"ranks_of_node", ranks_of_node},
          {"node_addresses_bytes", addresses},
          {"node_segment_bytes", descriptors},
          {"rank_share_bytes", (addresses + descriptors) / ranks_of_node}};
}

}  // namespace

Held held() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::int64_t kib = 0; word == "RssAnon:" && status >> kib) return {kib * 1024};
  return {};
}

Json memory(const hlc_context_info_t &context, const Held &before, const Held &after) {
  const halocline::core::NetworkMemory held = halocline::core::network_memory();
  std::int64_t opened = before.bytes < 0 || context.nodes == 1 ? -1 : std::max<std::int64_t>(0, after.bytes - before.bytes);
  MPI_Allreduce(MPI_IN_PLACE, &opened, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  // A larger job would have a rank per core.
  const std::int64_t cores = std::thread::hardware_concurrency();
  const std::int64_t ranks_of_node = std::max<std::int64_t>(cores, (context.size + context.nodes - 1) / context.nodes);
  Json jobs = Json::array();
  for (const std::int64_t ranks : {2, 128, 1024, 8192, 32768}) jobs.push_back(of_job(ranks, std::min(ranks, ranks_of_node), held));
  return {{"network_opened_bytes", opened < 0 ? Json() : Json(opened)},
          {"process_bytes", held.process},
          {"peer_bytes", held.peer},
          {"jobs", jobs}};
}

}  // namespace info
