// Mutexes: those of ARMCI, and the sets of ARMCI-MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <armcix.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "engine/rma/operations.hpp"
#include "faces/armci/memory.hpp"
#include "faces/armci/mutex_set.hpp"
#include "faces/armci/one_sided.hpp"
#include "faces/armci/profiling.hpp"

namespace halocline::core::armci {
namespace {

/// A word of a mutex, wherever it is.
class Word {
 public:
  Word(const char *call, const RemoteMemory &memory, int mutex, std::size_t member)
      : call_(call), memory_(memory), offset_(mutex * static_cast<std::int64_t>(sizeof(Mutex)) + static_cast<std::int64_t>(member)) {}

  std::uint64_t load() const {
    // SYNC mutex-unlocked-before-locked (pairs with add)
    if (memory_.data()) return here().load(std::memory_order_acquire);
    return fetch(HLC_OP_READ, 0);
  }
  std::uint64_t add(std::uint64_t value) const {
    // SYNC mutex-unlocked-before-locked (pairs with load)
    if (memory_.data()) return here().fetch_add(value, std::memory_order_acq_rel);
    return fetch(HLC_OP_SUM, static_cast<std::int64_t>(value));
  }
  /// False, and nothing is done, unless it has the expected value.
  bool replace(std::uint64_t expected, std::uint64_t value) const {
    if (memory_.data()) return here().compare_exchange_strong(expected, value, std::memory_order_acq_rel);
    std::int64_t old = 0;
    const auto before = static_cast<std::int64_t>(expected);
    settle(compare_swap_word(call_, {memory_, offset_}, HLC_NUMBER_UINT64, {before, static_cast<std::int64_t>(value), &old}));
    return old == before;
  }

 private:
  std::atomic_ref<std::uint64_t> here() const { return std::atomic_ref(*reinterpret_cast<std::uint64_t *>(memory_.data() + offset_)); }
  std::uint64_t fetch(hlc_op op, std::int64_t operand) const {
    std::int64_t old = 0;
    settle(fetch_word(call_, {memory_, offset_}, {op, HLC_NUMBER_UINT64}, operand, &old));
    return static_cast<std::uint64_t>(old);
  }

  const char *call_;
  const RemoteMemory &memory_;
  std::int64_t offset_;
};

Word next_of(const char *call, const RemoteMemory &memory, int mutex) { return {call, memory, mutex, offsetof(Mutex, next)}; }
Word served_of(const char *call, const RemoteMemory &memory, int mutex) { return {call, memory, mutex, offsetof(Mutex, served)}; }

bool may_have_threads() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace

Status MutexSet::open(Job &job, const char *call, const ARMCI_Group &group, int count) {
  return make_together(job, call, group, count * std::int64_t{sizeof(Mutex)}, memory_);
}

const RemoteMemory &MutexSet::memory_of(Job &job, const char *call, int mutex, int rank) const {
  if (rank < 0 || rank >= static_cast<int>(memory_.parts().size()))
    end_all_with("%s on rank %d: proc is %d but must be 0 to %zu", call, job.rank(), rank, memory_.parts().size() - 1);
  const Allocation::Part &part = *memory_.parts()[static_cast<std::size_t>(rank)];
  const auto count = static_cast<int>(part.seen.bytes / sizeof(Mutex));
  if (mutex < 0 || mutex >= count)
    end_all_with("%s on rank %d: mutex is %d, but rank %d has %d mutexes", call, job.rank(), mutex, part.proc, count);
  return *part.memory;
}

bool MutexSet::holds(Held held) {
  const std::lock_guard lock(guard_);
  return std::find(held_.begin(), held_.end(), held) != held_.end();
}

void MutexSet::note(Held held) {
  const std::lock_guard lock(guard_);
  held_.push_back(held);
}

/// False if this process does not hold it.
bool MutexSet::forget(Held held) {
  const std::lock_guard lock(guard_);
  const auto found = std::find(held_.begin(), held_.end(), held);
  if (found == held_.end()) return false;
  held_.erase(found);
  return true;
}

void MutexSet::lock(Job &job, const char *call, int mutex, int rank) {
  const RemoteMemory &memory = memory_of(job, call, mutex, rank);
  // Another thread of this process may give it back.
  if (holds({mutex, rank}) && !may_have_threads())
    end_all_with("%s on rank %d: this rank has locked mutex %d of rank %d already, and would wait for itself", call, job.rank(), mutex,
                 rank);
  const std::uint64_t ticket = next_of(call, memory, mutex).add(1);
  const Word served = served_of(call, memory, mutex);
  settle(await(job, call, [&] { return served.load() == ticket ? Status::ok : Status::again; }));
  note({mutex, rank});
}

bool MutexSet::try_lock(Job &job, const char *call, int mutex, int rank) {
  const RemoteMemory &memory = memory_of(job, call, mutex, rank);
  const std::uint64_t served = served_of(call, memory, mutex).load();
  if (!next_of(call, memory, mutex).replace(served, served + 1)) return false;
  note({mutex, rank});
  return true;
}

void MutexSet::unlock(Job &job, const char *call, int mutex, int rank) {
  const RemoteMemory &memory = memory_of(job, call, mutex, rank);
  const Word served = served_of(call, memory, mutex);
  if (served.load() == next_of(call, memory, mutex).load())
    end_all_with("%s on rank %d: mutex %d of rank %d is not locked", call, job.rank(), mutex, rank);
  if (!forget({mutex, rank})) end_all_with("%s on rank %d: mutex %d of rank %d is locked by another rank", call, job.rank(), mutex, rank);
  job.fence(call);
  served.add(1);
}

}  // namespace halocline::core::armci

using namespace halocline::core::armci;

/// What the handle of ARMCI-MPI's sets points to.
struct armcix_mutex_hdl_s {
  explicit armcix_mutex_hdl_s(Job &job, const ARMCI_Group &of) : set(job.context.network()), group(of) {}

  MutexSet set;
  ARMCI_Group group;  // of the program
};

extern "C" {

int PARMCI_Create_mutexes(int count) {
  constexpr const char *call = "ARMCI_Create_mutexes";
  return enter(call, [&](Job &job) {
    if (count < 0) return refuse(FAIL, "%s on rank %d: count is %d but must be 0 or more", call, job.rank(), count);
    if (job.mutexes) return refuse(FAIL2, "%s on rank %d: there are mutexes; call ARMCI_Destroy_mutexes first", call, job.rank());
    auto made = std::make_unique<MutexSet>(job.context.network());
    settle(made->open(job, call, job.world, count));
    job.mutexes = std::move(made);
    return 0;
  });
}

int PARMCI_Destroy_mutexes(void) {
  constexpr const char *call = "ARMCI_Destroy_mutexes";
  return enter(call, [&](Job &job) {
    if (!job.mutexes) return refuse(FAIL, "%s on rank %d: there are no mutexes", call, job.rank());
    job.barrier(call);
    job.mutexes.reset();
    return 0;
  });
}

void PARMCI_Lock(int mutex, int proc) {
  constexpr const char *call = "ARMCI_Lock";
  enter(call, [&](Job &job) {
    if (!job.mutexes) end_all_with("%s on rank %d: there are no mutexes; call ARMCI_Create_mutexes first", call, job.rank());
    job.mutexes->lock(job, call, mutex, proc);
  });
}

void PARMCI_Unlock(int mutex, int proc) {
  constexpr const char *call = "ARMCI_Unlock";
  enter(call, [&](Job &job) {
    if (!job.mutexes) end_all_with("%s on rank %d: there are no mutexes; call ARMCI_Create_mutexes first", call, job.rank());
    job.mutexes->unlock(job, call, mutex, proc);
  });
}

armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *pgroup) {
  constexpr const char *call = "ARMCIX_Create_mutexes_hdl";
  return enter(call, [&](Job &job) {
    check_member(job, call, pgroup);
    if (count < 0) end_all_with("%s on rank %d: count is %d but must be 0 or more", call, job.rank(), count);
    auto made = std::make_unique<armcix_mutex_hdl_s>(job, *pgroup);
    settle(made->set.open(job, call, *pgroup, count));
    return made.release();
  });
}

int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl) {
  constexpr const char *call = "ARMCIX_Destroy_mutexes_hdl";
  need_argument(call, "hdl", hdl);
  return enter(call, [&](Job &job) {
    group_barrier(job, call, hdl->group);
    delete hdl;
    return 0;
  });
}

void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc) {
  constexpr const char *call = "ARMCIX_Lock_hdl";
  need_argument(call, "hdl", hdl);
  enter(call, [&](Job &job) { hdl->set.lock(job, call, mutex, proc); });
}

int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc) {
  constexpr const char *call = "ARMCIX_Trylock_hdl";
  need_argument(call, "hdl", hdl);
  return enter(call, [&](Job &job) { return hdl->set.try_lock(job, call, mutex, proc) ? 0 : 1; });
}

void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc) {
  constexpr const char *call = "ARMCIX_Unlock_hdl";
  need_argument(call, "hdl", hdl);
  enter(call, [&](Job &job) { hdl->set.unlock(job, call, mutex, proc); });
}

void ARMCIX_Progress(void) {
  enter("ARMCIX_Progress", [](Job &job) { job.context.network().poll(); });
}

HLC_ARMCI_ALIAS(Create_mutexes);
HLC_ARMCI_ALIAS(Destroy_mutexes);
HLC_ARMCI_ALIAS(Lock);
HLC_ARMCI_ALIAS(Unlock);

}  // extern "C"
