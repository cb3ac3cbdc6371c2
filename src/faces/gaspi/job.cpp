// Opening and closing a job, and what it does in waits.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/job.hpp"

#include <csignal>
#include <iterator>

#include "engine/communicator/collective.hpp"
#include "engine/network/helper.hpp"

namespace halocline::core::gaspi {

Status Job::open() {
  HLC_TRY(context.open(MPI_COMM_WORLD, Status::ok));
  const Call in_call(context, CallName::gaspi_init);
  watch.open();
  if (context.size() > kMostRanks)
    return fail(Status::unsupported, "there are %d ranks, GASPI's type holds %d", context.size(), kMostRanks);
  HLC_TRY(compare_config());
  if (context.nodes() > 1) HLC_TRY(open_network());
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

Status Job::open_network() {
  HLC_TRY(context.network().open());
  return context.network().requests()->open();
}

Status Job::commit_all() {
  const auto call = "gaspi_proc_init";
  const gaspi_timeout_t patience_ms =
      context.timeout_ns() == 0 ? GASPI_BLOCK : static_cast<gaspi_timeout_t>(context.timeout_ns() / 1'000'000);
  const gaspi_return_t committed =
      until(*this, call, patience_ms, [&] { return groups[GASPI_GROUP_ALL].commit(group_resources, GASPI_GROUP_ALL); });
  if (committed == GASPI_TIMEOUT) return fail(Status::timeout, "%s: rank %d waits for other ranks (HALOCLINE_TIMEOUT)", call, rank());
  return committed == GASPI_SUCCESS ? Status::ok : Status::state;
}

Status Job::meet_to_end() {
  const auto call = "gaspi_proc_term";
  // A lost rank does not take part in the meeting.
  if (watch.knows_any()) return fail(Status::peer_died, "%s on rank %d: ranks are out of reach", call, rank());
  RequestEngine *requests = context.network().requests();
  if (ending_ == Ending::not_begun) {
    if (requests) flushes_ = requests->begin_flushes(true);
    ending_ = Ending::flushes;
  }
  if (ending_ == Ending::flushes) {
    while (!flushes_.empty()) {
      if (const Status over = requests->look(flushes_.back(), call); over != Status::ok) return over;
      flushes_.pop_back();
    }
    HLC_TRY(check_mpi(MPI_Ibarrier(context.comm(), &meeting_), "MPI_Ibarrier"));
    ending_ = Ending::meets;
  }
  int met = ending_ == Ending::met ? 1 : 0;
  if (!met) HLC_TRY(check_mpi(MPI_Test(&meeting_, &met, MPI_STATUS_IGNORE), "MPI_Test"));
  if (met) ending_ = Ending::met;
  return met ? Status::ok : Status::again;
}

Status Job::close() {
  const Call in_call(context, CallName::gaspi_term);
  int largest = 0;
  HLC_TRY(meet_to_release(context, 0, &largest));
  return agree_on_largest(context, context.comm(), context.lost() ? 1 : 0, &largest);
}

Status Job::attend(const char *call) {
  if (is_ending) return fail(Status::state, "%s on rank %d: gaspi_proc_term has been called", call, rank());
  if (mpi_has_ended()) return fail(Status::state, "%s on rank %d: MPI has been finalised", call, rank());
  return watch.look(call);
}

void Job::poll() {
  context.network().poll();
  reads.look();
  // Another rank has asked for this by gaspi_proc_kill.
  if (parts.control().words().notifications.seen(Plan::kEnd) != 0) raise(SIGKILL);
}

}  // namespace halocline::core::gaspi
