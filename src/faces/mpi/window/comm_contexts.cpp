// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window/comm_contexts.hpp"

#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/mpi_end.hpp"
#include "base/mutex.hpp"
#include "engine/communicator/wait_until.hpp"

namespace halocline::core::mpi {
namespace {

using Kept = std::shared_ptr<CommContext>;
using CommContexts = std::list<std::unique_ptr<CommContext>>;

/// Its lock is not held during calls of MPI, in which another thread may wait for it.
struct Registry {
  Mutex mutex;
  std::list<MPI_Comm> comms HLC_GUARDED_BY(mutex);  // that have a context, in the order of their first windows
  std::list<std::weak_ptr<CommContext>> used HLC_GUARDED_BY(mutex);
  CommContexts closed HLC_GUARDED_BY(mutex);  // no longer used, until their ranks have met

  void add(MPI_Comm comm, const Kept &comm_context) {
    const core::Lock lock(mutex);
    comms.push_back(comm);
    used.remove_if([](const std::weak_ptr<CommContext> &one) { return one.expired(); });
    used.push_back(comm_context);
  }
  void remove(MPI_Comm comm) {
    const core::Lock lock(mutex);
    comms.remove(comm);
  }
  std::list<MPI_Comm> all_comms() {
    const core::Lock lock(mutex);
    return comms;
  }
  std::vector<Kept> all_used() {
    const core::Lock lock(mutex);
    std::vector<Kept> found;
    for (const std::weak_ptr<CommContext> &one : used)
      if (Kept comm_context = one.lock()) found.push_back(std::move(comm_context));
    return found;
  }
  CommContexts take_closed() {
    const core::Lock lock(mutex);
    return std::exchange(closed, {});
  }
  void put_closed(CommContexts &comm_contexts) {
    const core::Lock lock(mutex);
    closed.splice(closed.begin(), comm_contexts);
  }
};

/// Never destroyed: MPI may delete attributes at the end of the process.
Registry &registry() {
  static auto *const all = new Registry;
  return *all;
}

/// Deletes the closed contexts whose ranks have met meanwhile. Does not wait.
void end_closed() {
  CommContexts comm_contexts = registry().take_closed();
  comm_contexts.remove_if([](const std::unique_ptr<CommContext> &comm_context) { return comm_context->has_met(); });
  registry().put_closed(comm_contexts);
}

/// Called when no window and no communicator uses it any more.
void close(CommContext *comm_context) {
  CommContexts one;
  one.emplace_back(comm_context);
  if (!mpi_has_ended() && comm_context->begin_meeting()) registry().put_closed(one);
  end_closed();
}

/// Without a time limit, as MPI_Finalize itself. If a rank is lost, memory that other ranks may still use is leaked.
void await_meeting(CommContext &comm_context) {
  Wait wait(comm_context.context, WakeUp::by_polling);
  const Status met =
      wait_until(wait, [&] { return comm_context.has_met() ? Status::ok : Status::again; }, [&] { return comm_context.look_for_dead(); });
  if (failed(met)) static_cast<void>(comm_context.context.lose(met));
}

int forget_comm_context(MPI_Comm comm, int, void *kept, void *) {
  registry().remove(comm);
  delete static_cast<Kept *>(kept);
  return MPI_SUCCESS;
}

int comm_context_key() {
  static const int made = [] {
    int key = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_comm_context, &key, nullptr);
    return key;
  }();
  return made;
}

}  // namespace

Kept known_comm_context(MPI_Comm comm) {
  void *found = nullptr;
  int has = 0;
  PMPI_Comm_get_attr(comm, comm_context_key(), &found, &has);
  return has ? *static_cast<Kept *>(found) : nullptr;
}

Kept find_comm_context(MPI_Comm comm) {
  if (Kept known = known_comm_context(comm)) return known;
  end_closed();
  auto opening = std::make_unique<CommContext>();
  const Status opened = opening->opened_ = opening->open(comm);
  if (failed(opened)) opening->obstacle_ = error_message();
  // Otherwise a wrong value of a variable would be ignored silently.
  if (opened == Status::argument && opening->context.rank() == 0)
    report_once("drop-in", "variable", "the host MPI carries all windows: %s", error_message());
  if (opening->context.lost()) opening->context.give_up();
  // Not kept: there may be memory when the next window is made.
  if (opened == Status::memory) return opening;
  auto *kept = new Kept(opening.release(), close);
  registry().add(comm, *kept);
  PMPI_Comm_set_attr(comm, comm_context_key(), kept);
  return *kept;
}

void drop_spares() {
  for (const Kept &comm_context : registry().all_used()) comm_context->spares.clear();
}

/// Some contexts stay, because the program still has windows or requests, perhaps on this rank only. Other ranks do not wait for these. All
/// meetings begin before the first wait: two ranks may have closed contexts in different orders.
void release_comm_contexts() {
  for (const MPI_Comm comm : registry().all_comms()) PMPI_Comm_delete_attr(comm, comm_context_key());
  const std::vector<Kept> used = registry().all_used();
  for (const Kept &comm_context : used) comm_context->begin_meeting();
  const CommContexts closed = registry().take_closed();
  for (const auto &comm_context : closed) await_meeting(*comm_context);
  for (const Kept &comm_context : used) await_meeting(*comm_context);
}

}  // namespace halocline::core::mpi
