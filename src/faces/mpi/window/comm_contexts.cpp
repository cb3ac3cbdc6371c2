// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window/comm_contexts.hpp"

#include <list>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/mpi_end.hpp"
#include "base/mutex.hpp"
#include "base/never_destroyed.hpp"
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

  /// Allocates nothing.
  void add(std::list<MPI_Comm> &comm, std::list<std::weak_ptr<CommContext>> &comm_context) {
    const core::Lock lock(mutex);
    comms.splice(comms.end(), comm);
    used.remove_if([](const std::weak_ptr<CommContext> &one) { return one.expired(); });
    used.splice(used.end(), comm_context);
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
Registry &registry() { return never_destroyed<Registry>(); }

/// Deletes the closed contexts whose ranks have met meanwhile. Does not wait.
void end_closed() {
  CommContexts comm_contexts = registry().take_closed();
  comm_contexts.remove_if([](const std::unique_ptr<CommContext> &comm_context) { return comm_context->has_met(); });
  registry().put_closed(comm_contexts);
}

/// Called when no window and no communicator uses it any more.
void close(CommContext *comm_context) {
  std::unique_ptr<CommContext> one(comm_context);
  if (!mpi_has_ended() && one->begin_meeting()) {
    CommContexts waiting;
    waiting.push_back(std::move(one));
    registry().put_closed(waiting);
  }
  one.reset();
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

namespace {

/// A context with all that is needed to keep it. The memory is there before the ranks meet: afterwards all of them keep it, or none.
struct OpeningContext {
  explicit OpeningContext(MPI_Comm comm) : comms(1, comm), used(1, comm_context) {}

  Kept comm_context{new CommContext, close};
  std::unique_ptr<Kept> attribute = std::make_unique<Kept>(comm_context);
  std::list<MPI_Comm> comms;
  std::list<std::weak_ptr<CommContext>> used;
};

std::optional<OpeningContext> begin_opening(MPI_Comm comm) {
  try {
    return std::optional<OpeningContext>(std::in_place, comm);
  } catch (const std::bad_alloc &) {
    return std::nullopt;
  }
}

/// Tells the other ranks. What is returned is no one's, and never destroyed.
Kept refuse_for_lack_of_memory(MPI_Comm comm) {
  CommContext makeshift;
  makeshift.open(comm, fail(Status::memory, "out of memory for the context of a communicator"));
  if (makeshift.context.lost()) makeshift.context.give_up();
  struct Refused {
    CommContext comm_context{Status::memory};
  };
  return {Kept(), &never_destroyed<Refused>().comm_context};
}

}  // namespace

Kept find_comm_context(MPI_Comm comm) {
  if (Kept known = known_comm_context(comm)) return known;
  end_closed();
  std::optional<OpeningContext> opening = begin_opening(comm);
  if (!opening) return refuse_for_lack_of_memory(comm);
  const Kept made = opening->comm_context;
  made->open(comm, Status::ok);
  // Otherwise a wrong value of a variable would be ignored silently.
  if (made->opened() == Status::argument && made->context.rank() == 0)
    report_once("drop-in", "variable", "the host MPI carries all windows: %s", error_message());
  if (made->context.lost()) made->context.give_up();
  // Not kept: there may be memory when the next window is made.
  if (made->opened() == Status::memory) return made;
  registry().add(opening->comms, opening->used);
  PMPI_Comm_set_attr(comm, comm_context_key(), opening->attribute.release());
  return made;
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
