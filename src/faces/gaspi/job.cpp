// What a job of GASPI adds to that of any face: its configuration, its control part, its groups.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/job.hpp"

#include <csignal>
#include <iterator>

#include "engine/communicator/collective.hpp"

namespace halocline::core::gaspi {

Status Job::open_face() {
  if (context.size() > kMostRanks)
    return fail(Status::unsupported, "%d ranks, but gaspi_rank_t holds at most %d", context.size(), kMostRanks);
  HLC_TRY(compare_config());
  HLC_TRY(open_network());
  HLC_TRY(open_parts());
  for (unsigned queue = 0; queue < config.queue_num; ++queue) queues[queue].exists = true;
  groups[GASPI_GROUP_ALL].define(GroupMembers(size()));
  return config.build_infrastructure == GASPI_TOPOLOGY_NONE ? Status::ok : commit_all();
}

/// The control parts of all ranks must have the same layout.
Status Job::compare_config() {
  const std::int64_t mine[] = {config.group_max, config.segment_max, config.passive_transfer_size_max,
                               config.build_infrastructure == GASPI_TOPOLOGY_NONE ? 0 : 1};
  constexpr std::size_t count = std::size(mine);
  std::int64_t ends[2 * count];
  for (std::size_t i = 0; i < count; ++i) ends[2 * i] = mine[i], ends[2 * i + 1] = -mine[i];
  HLC_TRY(reduce(context, context.comm(), MPI_MIN, ends, 2 * count));
  for (std::size_t i = 0; i < count; ++i)
    if (ends[2 * i] != -ends[2 * i + 1]) return fail(Status::mismatch, "gaspi_proc_init: the ranks have set different configurations");
  return Status::ok;
}

Status Job::commit_all() {
  const auto call = "gaspi_proc_init";
  const gaspi_timeout_t patience_ms =
      context.timeout_ns() == 0 ? GASPI_BLOCK : static_cast<gaspi_timeout_t>(context.timeout_ns() / 1'000'000);
  const gaspi_return_t committed =
      until(*this, call, patience_ms, [&] { return groups[GASPI_GROUP_ALL].commit(group_resources, GASPI_GROUP_ALL); });
  if (committed == GASPI_TIMEOUT)
    return fail(Status::timeout, "%s: rank %d timed out waiting for other ranks (HALOCLINE_TIMEOUT)", call, rank());
  return committed == GASPI_SUCCESS ? Status::ok : Status::state;
}

void Job::poll() {
  context.network().poll();
  reads.look();
  // Another rank has asked for this by gaspi_proc_kill.
  if (parts.control().words().notifications.seen(Plan::kEnd) != 0) raise(SIGKILL);
}

}  // namespace halocline::core::gaspi
