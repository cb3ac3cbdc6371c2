// Nodes are kept as attributes of the program's communicators.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/node.hpp"

#include <sched.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstdio>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/mpi_end.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/sync/dissemination.hpp"

namespace halocline::core::mpi {
namespace {

using Kept = std::shared_ptr<Node>;

/// The communicators that have a node, in the order of their first windows.
struct Registry {
  std::mutex mutex;
  std::list<MPI_Comm> comms;
};

/// Never destroyed: MPI may delete attributes at the end of the process.
Registry &registry() {
  static auto *const all = new Registry;
  return *all;
}

int forget_node(MPI_Comm comm, int, void *kept, void *) {
  {
    const std::lock_guard lock(registry().mutex);
    registry().comms.remove(comm);
  }
  delete static_cast<Kept *>(kept);
  return MPI_SUCCESS;
}

int node_key() {
  static const int made = [] {
    int key = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_node, &key, nullptr);
    return key;
  }();
  return made;
}

}  // namespace

Node::~Node() {
  if (mpi_has_ended())
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
  return check_word(who, "LOG", {"info"});
}

}  // namespace

Status Node::open(MPI_Comm comm) {
  HLC_TRY(context.open(comm, Status::ok));
  HLC_TRY(agree(context, context.comm(), check_variables(context.rank())));
  PMPI_Comm_group(context.comm(), &group_);
  if (!context.core_per_rank()) yield_while_host_waits();
  if (context.nodes() > 1) HLC_TRY(prepare(context, context.comm(), [this] { return number_members(); }));
  return try_reading();
}

Status Node::number_members() {
  members_.resize(static_cast<std::size_t>(context.size()));
  for (int rank = 0; rank < context.size(); ++rank) members_[static_cast<std::size_t>(rank)] = context.member_of(rank);
  watch_.emplace(context.network()).open();
  driven_.emplace(context.network());
  return Status::ok;
}

/// A rank that is not reached before it ends would never be found lost.
Status Node::watch_neighbours() {
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

/// Each rank reads a word of the next one of its node, after all of these have allowed it.
Status Node::try_reading() {
  traced_.allow(context);
  const Member ranks = context.members(), next = (context.member() + 1) % ranks;
  static const std::int64_t word = 0x68616c6f;
  const auto mine = reinterpret_cast<std::int64_t>(&word);
  std::vector<std::int64_t> words(static_cast<std::size_t>(ranks));
  HLC_TRY(check_mpi(PMPI_Allgather(&mine, 1, MPI_INT64_T, words.data(), 1, MPI_INT64_T, context.node_comm()), "MPI_Allgather"));
  std::int64_t found = 0;
  const iovec local{&found, sizeof found};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process
  const iovec remote{reinterpret_cast<void *>(words[static_cast<std::size_t>(next)]), sizeof found};
  const bool read = process_vm_readv(context.doorbell().process_of(next), &local, 1, &remote, 1, 0) == sizeof found && found == word;
  std::int64_t all = read ? 1 : 0;
  HLC_TRY(reduce(context, context.comm(), MPI_MIN, &all, 1));
  reads_others_ = all == 1;
  return Status::ok;
}

void Node::let_others_run_now(unsigned calls) {
  if (!context.core_per_rank()) sched_yield();
  if (calls % 64 == 0) drive_host();
}

/// In at most one part in 20 of the time: a look for messages takes Intel MPI more than a microsecond. Other nodes are served each time.
void Node::drive_host() {
  constexpr std::int64_t kLongestBreak_ns = 100'000;
  const std::int64_t begin = now_ns();
  if (!spans_nodes() && begin < next_drive_ns_.load(std::memory_order_relaxed)) return;
  context.drive_progress();
  const std::int64_t end = now_ns();
  next_drive_ns_.store(end + std::min(20 * (end - begin), kLongestBreak_ns), std::memory_order_relaxed);
}

Status Node::find_dead() {
  for (Member member = 0; member < context.members(); ++member)
    if (!context.doorbell().alive(member))
      return fail(Status::peer_died, "rank %d waits for others, and the process of rank %d has ended", context.rank(),
                  context.rank_of(member));
  if (!watch_) return Status::ok;
  HLC_TRY(look_for_lost());
  RequestEngine *const requests = context.network().requests();
  return requests ? requests->failures().look_for_failure("a call of MPI RMA") : Status::ok;
}

Kept known_node(MPI_Comm comm) {
  void *found = nullptr;
  int has = 0;
  PMPI_Comm_get_attr(comm, node_key(), &found, &has);
  return has ? *static_cast<Kept *>(found) : nullptr;
}

Kept find_node(MPI_Comm comm) {
  if (Kept known = known_node(comm)) return known;
  auto opening = std::make_unique<Node>();
  const Status opened = opening->open(comm);
  if (failed(opened)) opening->obstacle_ = error_message();
  // What the user asked for would silently not happen.
  if (opened == Status::argument && opening->context.rank() == 0)
    report_once("drop-in", "variable", "the host MPI carries all windows: %s", error_message());
  if (opening->context.lost()) opening->context.give_up();
  auto *kept = new Kept(std::move(opening));
  {
    const std::lock_guard lock(registry().mutex);
    registry().comms.push_back(comm);
  }
  PMPI_Comm_set_attr(comm, node_key(), kept);
  return *kept;
}

void release_nodes() {
  std::list<MPI_Comm> comms;
  {
    const std::lock_guard lock(registry().mutex);
    comms = registry().comms;
  }
  for (const MPI_Comm comm : comms) PMPI_Comm_delete_attr(comm, node_key());
}

}  // namespace halocline::core::mpi
