// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window/comm_contexts.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/mpi_end.hpp"
#include "engine/communicator/wait_until.hpp"

namespace halocline::core::mpi {
namespace {

using Kept = std::shared_ptr<Node>;
using Nodes = std::list<std::unique_ptr<Node>>;

/// Its lock is held for no call of MPI, in which another thread may wait for it.
struct Registry {
  std::mutex mutex;
  std::list<MPI_Comm> comms;  // that have a node, in the order of their first windows
  std::list<std::weak_ptr<Node>> used;
  Nodes closed;  // which nothing needs any more, while their ranks meet

  void add(MPI_Comm comm, const Kept &node) {
    const std::lock_guard lock(mutex);
    comms.push_back(comm);
    used.remove_if([](const std::weak_ptr<Node> &one) { return one.expired(); });
    used.push_back(node);
  }
  void remove(MPI_Comm comm) {
    const std::lock_guard lock(mutex);
    comms.remove(comm);
  }
  std::list<MPI_Comm> all_comms() {
    const std::lock_guard lock(mutex);
    return comms;
  }
  std::vector<Kept> all_used() {
    const std::lock_guard lock(mutex);
    std::vector<Kept> found;
    for (const std::weak_ptr<Node> &one : used)
      if (Kept node = one.lock()) found.push_back(std::move(node));
    return found;
  }
  Nodes take_closed() {
    const std::lock_guard lock(mutex);
    return std::exchange(closed, {});
  }
  void put_closed(Nodes &nodes) {
    const std::lock_guard lock(mutex);
    closed.splice(closed.begin(), nodes);
  }
};

/// Never destroyed: MPI may delete attributes at the end of the process.
Registry &registry() {
  static auto *const all = new Registry;
  return *all;
}

/// Ends the closed nodes whose ranks have met meanwhile. Does not wait.
void end_closed() {
  Nodes nodes = registry().take_closed();
  nodes.remove_if([](const std::unique_ptr<Node> &node) { return node->has_met(); });
  registry().put_closed(nodes);
}

/// No window and no communicator needs it any more.
void close(Node *node) {
  Nodes one;
  one.emplace_back(node);
  if (!mpi_has_ended() && node->begin_meeting()) registry().put_closed(one);
  end_closed();
}

/// Without a time limit, as MPI_Finalize itself. If a rank is lost, what others may still use stays when the node goes.
void await_meeting(Node &node) {
  Wait wait(node.context, WakeUp::by_polling);
  const Status met = wait_until(wait, [&] { return node.has_met() ? Status::ok : Status::again; }, [&] { return node.look_for_dead(); });
  if (failed(met)) static_cast<void>(node.context.lose(met));
}

int forget_node(MPI_Comm comm, int, void *kept, void *) {
  registry().remove(comm);
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

Kept known_node(MPI_Comm comm) {
  void *found = nullptr;
  int has = 0;
  PMPI_Comm_get_attr(comm, node_key(), &found, &has);
  return has ? *static_cast<Kept *>(found) : nullptr;
}

Kept find_node(MPI_Comm comm) {
  if (Kept known = known_node(comm)) return known;
  end_closed();
  auto opening = std::make_unique<Node>();
  const Status opened = opening->opened_ = opening->open(comm);
  if (failed(opened)) opening->obstacle_ = error_message();
  // What the user asked for would silently not happen.
  if (opened == Status::argument && opening->context.rank() == 0)
    report_once("drop-in", "variable", "the host MPI carries all windows: %s", error_message());
  if (opening->context.lost()) opening->context.give_up();
  // Not kept: there may be memory when the next window is made.
  if (opened == Status::memory) return opening;
  auto *kept = new Kept(opening.release(), close);
  registry().add(comm, *kept);
  PMPI_Comm_set_attr(comm, node_key(), kept);
  return *kept;
}

void drop_spares() {
  for (const Kept &node : registry().all_used()) node->spares.clear();
}

/// Some nodes stay, as the program has windows or requests there, perhaps on this rank alone. Other ranks do not wait for these. All meetings
/// have begun before the first is waited for: two ranks may have closed nodes in different orders.
void release_nodes() {
  for (const MPI_Comm comm : registry().all_comms()) PMPI_Comm_delete_attr(comm, node_key());
  const std::vector<Kept> used = registry().all_used();
  for (const Kept &node : used) node->begin_meeting();
  const Nodes closed = registry().take_closed();
  for (const auto &node : closed) await_meeting(*node);
  for (const Kept &node : used) await_meeting(*node);
}

}  // namespace halocline::core::mpi
