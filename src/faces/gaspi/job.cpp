// Opening and closing a job, and knowing who is out of reach.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/job.hpp"

#include <csignal>
#include <iterator>

#include "engine/collective.hpp"
#include "engine/helper.hpp"

namespace halocline::gaspi {

Status Watch::note(int rank, Status status) {
  lost_.insert(rank);
  any_.store(true, std::memory_order_relaxed);
  if (Pulses *pulses = context_.network().pulses()) pulses->forget(rank);
  return status;
}

Status Watch::look(const char *call) {
  const std::lock_guard lock(mutex_);
  HLC_TRY(look_at_node(call));
  if (const Helper *helper = context_.network().helper()) HLC_TRY(helper->look_for_death());
  Traffic *traffic = context_.network().traffic();
  return traffic ? look_at_others(call, *traffic) : Status::ok;
}

Status Watch::look_at_node(const char *call) {
  for (Member member = 0; member < context_.members(); ++member) {
    if (context_.port().alive(member)) continue;
    const int rank = context_.rank_of(member);
    if (lost_.count(rank) == 0)
      return note(rank, fail(Status::peer_died, "%s on rank %d: the process of rank %d has ended", call, context_.rank(), rank));
  }
  return Status::ok;
}

Status Watch::look_at_others(const char *call, Traffic &traffic) {
  if (const int gone = context_.network().pulses()->find_lost(Pulses::kGone_ns); gone >= 0) traffic.give_up(gone, call);
  if (!traffic.has_failed()) return Status::ok;
  for (int rank = 0; rank < context_.size(); ++rank)
    if (traffic.has_failed(rank) && lost_.count(rank) == 0)
      return note(rank, fail(Status::peer_died, "%s on rank %d: %s cannot be reached over the network (any more)", call, context_.rank(),
                             traffic.name_of(rank).c_str()));
  return Status::ok;
}

bool Watch::is_lost(int rank) {
  const std::lock_guard lock(mutex_);
  return lost_.count(rank) > 0;
}

void Watch::lose(int rank) {
  const std::lock_guard lock(mutex_);
  static_cast<void>(note(rank, Status::ok));
}

Status Job::open() {
  HLC_TRY(context.open(MPI_COMM_WORLD, Status::ok));
  const Call in_call(context, CallName::gaspi_init);
  if (context.size() > kMostRanks)
    return fail(Status::unsupported, "there are %d ranks, GASPI's type holds %d", context.size(), kMostRanks);
  HLC_TRY(compare_config());
  if (context.nodes() > 1) HLC_TRY(open_network());
  plan_ = Plan(config, context.size());
  HLC_TRY(parts.open(plan_));
  for (unsigned queue = 0; queue < config.queue_num; ++queue) queues[queue].exists = true;
  groups[GASPI_GROUP_ALL].define(true);
  return config.build_infrastructure == GASPI_TOPOLOGY_NONE ? Status::ok : commit_all();
}

/// The control parts of all ranks must be alike.
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
  HLC_TRY(context.network().open(context));
  return context.network().traffic()->open();
}

Status Job::commit_all() {
  const auto call = "gaspi_proc_init";
  const gaspi_return_t committed = until(*this, call, GASPI_BLOCK, [&] { return groups[GASPI_GROUP_ALL].commit(*this, GASPI_GROUP_ALL); });
  return committed == GASPI_SUCCESS ? Status::ok : Status::state;
}

Status Job::close() {
  const Call in_call(context, CallName::gaspi_term);
  // A rank that is gone does not come, and the others cannot tell each other so.
  if (watch.knows_any()) return fail(Status::peer_died, "gaspi_proc_term on rank %d: ranks are out of reach", rank());
  Traffic *traffic = context.network().traffic();
  const Status drained = traffic ? traffic->drain(-1, "gaspi_proc_term", true) : Status::ok;
  int largest = 0;
  HLC_TRY(meet_to_release(context, 0, &largest));
  const Status voted = vote(context, context.comm(), context.lost() ? 1 : 0, &largest);
  return failed(voted) ? voted : drained;
}

void Job::poll() {
  context.network().poll();
  reads.look();
  // Another rank has asked for it.
  if (parts.control().words().notifications.seen(Plan::kEnd) != 0) raise(SIGKILL);
}

void Job::note_write(int rank) {
  const std::lock_guard lock(mutex_);
  written_.insert(rank);
}

std::vector<int> Job::take_written(const Group &group) {
  const std::lock_guard lock(mutex_);
  std::vector<int> taken;
  for (int index = 0; index < group.size(*this) && !written_.empty(); ++index)
    if (written_.erase(group.rank_at(index)) > 0) taken.push_back(group.rank_at(index));
  return taken;
}

Status judge(Job &job, const char *call, const Wait &wait) {
  HLC_TRY(job.watch.look(call));
  if (!wait.timed_out()) return Status::ok;
  return fail(Status::timeout, "%s: rank %d has waited %lld s (HALOCLINE_TIMEOUT)", call, job.rank(),
              static_cast<long long>(job.context.timeout_ns() / 1'000'000'000));
}

}  // namespace halocline::gaspi
