// Opening the context of a communicator, what it does in repeated calls, and the meeting before it is closed.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window/comm_context.hpp"

#include <sched.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/mpi_end.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/memory/ptrace_permission.hpp"
#include "engine/network/request_engine.hpp"
#include "engine/sync/dissemination.hpp"

namespace halocline::core::mpi {

CommContext::~CommContext() {
  spares.clear();
  if (mpi_has_ended() || context.lost())
    context.give_up();
  else if (group_ != MPI_GROUP_NULL)
    PMPI_Group_free(&group_);
}

namespace {

Status check_variables(int rank) {
  char who[32];
  std::snprintf(who, sizeof who, "rank %d", rank);
  HLC_TRY(check_word(who, "MPI_LOCK", {"mcs"}));
  HLC_TRY(check_word(who, "MPI_STRICT", {"0", "1"}));
  HLC_TRY(check_word(who, "MPI_COLLECTIVES", {"host"}));
  return check_word(who, "LOG", {"info"});
}

/// Emulated nodes share the cores of a host.
bool shares_cores(const Topology &topology) { return topology.ranks_per_core() > 1; }

}  // namespace

void CommContext::open(MPI_Comm comm, Status mine) {
  opened_ = open_parts(comm, mine);
  if (!failed(opened_)) return;
  try {
    obstacle_ = error_message();
  } catch (const std::bad_alloc &) {
    obstacle_ = "out of memory";  // short enough to need none
  }
}

Status CommContext::open_parts(MPI_Comm comm, Status mine) {
  std::vector<std::int64_t> words;  // of the ranks of this node
  HLC_TRY(context.open(comm, mine));
  HLC_TRY(prepare(context, context.comm(), [&] {
    HLC_TRY(check_variables(context.rank()));
    words.resize(static_cast<std::size_t>(context.members()));
    return context.nodes() > 1 ? number_members() : Status::ok;
  }));
  PMPI_Comm_group(context.comm(), &group_);
  if (shares_cores(context)) yield_while_host_waits();
  return try_reading(words);
}

Status CommContext::number_members() {
  members_.resize(static_cast<std::size_t>(context.size()));
  for (int rank = 0; rank < context.size(); ++rank) members_[static_cast<std::size_t>(rank)] = context.member_of(rank);
  watch_.emplace(context.network()).open();
  driven_.emplace(context.network());
  return Status::ok;
}

/// A rank that is not reached before it ends would never be found lost.
Status CommContext::watch_neighbours() {
  if (watches_neighbours_) return Status::ok;
  const Dissemination order(context.rank(), context.size());
  HLC_TRY(prepare(context, context.comm(), [&] {
    for (int round = 0; round < order.rounds(); ++round)
      if (!is_near(order.below(round))) HLC_TRY(context.network().requests()->meet(order.below(round)));
    return Status::ok;
  }));
  watches_neighbours_ = true;
  return Status::ok;
}

/// What the kernel permits already, as the MPI may have arranged, is left as it is.
Status CommContext::try_reading(std::vector<std::int64_t> &words) {
  HLC_TRY(read_next(words, &reads_others_));
  if (reads_others_) return Status::ok;
  permit_node_to_trace(context);
  return read_next(words, &reads_others_);
}

/// Each rank reads a word of the next one of its node, once all of these are here. Collective.
Status CommContext::read_next(std::vector<std::int64_t> &words, bool *all_read) {
  const Member ranks = context.members(), next = (context.member() + 1) % ranks;
  static const std::int64_t word = 0x68616c6f;
  const auto mine = reinterpret_cast<std::int64_t>(&word);
  HLC_TRY(check_mpi(PMPI_Allgather(&mine, 1, MPI_INT64_T, words.data(), 1, MPI_INT64_T, context.node_comm()), "MPI_Allgather"));
  std::int64_t found = 0;
  const iovec local{&found, sizeof found};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process
  const iovec remote{reinterpret_cast<void *>(words[static_cast<std::size_t>(next)]), sizeof found};
  const bool read = process_vm_readv(context.doorbell().process_of(next), &local, 1, &remote, 1, 0) == sizeof found && found == word;
  std::int64_t all = read ? 1 : 0;
  HLC_TRY(reduce(context, context.comm(), MPI_MIN, &all, 1));
  *all_read = all == 1;
  return Status::ok;
}

bool CommContext::begin_meeting() {
  if (!spans_nodes() || !obstacle_.empty() || context.lost()) return false;
  if (meets_ != Meeting::not_begun) return meets_ == Meeting::begun;
  meets_ = Meeting::begun;
  const Status begun = check_mpi(PMPI_Ibarrier(context.comm(), &meeting_), "MPI_Ibarrier");
  if (failed(begun)) static_cast<void>(context.lose(begun));
  return !failed(begun);
}

bool CommContext::has_met() {
  if (meets_ != Meeting::begun || context.lost()) return true;
  int met = 0;
  const Status tested = check_mpi(PMPI_Test(&meeting_, &met, MPI_STATUS_IGNORE), "MPI_Test");
  if (failed(tested)) static_cast<void>(context.lose(tested));
  if (met) meets_ = Meeting::over;
  return met || failed(tested);
}

void CommContext::yield_now(unsigned calls) {
  if (shares_cores(context)) sched_yield();
  if (calls % 64 == 0) drive_host();
}

/// In at most one part in 20 of the time: a look for messages takes Intel MPI more than a microsecond. Other nodes are served each time, those of
/// other communicators a little less often.
void CommContext::drive_host() {
  constexpr std::int64_t kLongestBreak_ns = 100'000;
  const std::int64_t begin = now_ns();
  if (!spans_nodes() && begin < next_drive_ns_.load(std::memory_order_relaxed)) return;
  context.drive_progress();
  answer_other_nodes();
  const std::int64_t end = now_ns();
  next_drive_ns_.store(end + std::min(20 * (end - begin), kLongestBreak_ns), std::memory_order_relaxed);
}

Status CommContext::look_for_dead() {
  if (const int dead = context.find_dead(); dead >= 0)
    return fail(Status::peer_died, "rank %d waits for other ranks, and the process of rank %d has ended", context.rank(), dead);
  if (!watch_) return Status::ok;
  HLC_TRY(look_for_lost());
  RequestEngine *const requests = context.network().requests();
  return requests ? requests->failures().look_for_failure("MPI RMA call") : Status::ok;
}

}  // namespace halocline::core::mpi
