// SPDX-License-Identifier: BSD-3-Clause
#include "sync.hpp"

#include "watchdog.hpp"

namespace doctor {
namespace {

void barrier(const Epoch &e) { CALL(MPI_Barrier, e.comm); }

void move_all(const Epoch &e) {
  for (const int target : e.targets) e.move(target, nullptr);
}

/// A group of ranks of a communicator, for post and start.
class Group {
 public:
  Group(MPI_Comm comm, const std::vector<int> &ranks) {
    MPI_Group all = MPI_GROUP_NULL;
    CALL(MPI_Comm_group, comm, &all);
    CALL(MPI_Group_incl, all, static_cast<int>(ranks.size()), ranks.data(), &group_);
    CALL(MPI_Group_free, &all);
  }
  ~Group() { MPI_Group_free(&group_); }
  Group(const Group &) = delete;
  Group &operator=(const Group &) = delete;
  operator MPI_Group() const { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

void fence(const Epoch &e) {
  e.prepare();
  CALL(MPI_Win_fence, 0, *e.window);
  move_all(e);
  CALL(MPI_Win_fence, 0, *e.window);
  e.local();
  e.look();
  barrier(e);
}

void pscw(const Epoch &e) {
  const Group targets(e.comm, e.targets), origins(e.comm, e.origins);
  e.prepare();
  CALL(MPI_Win_post, origins, 0, *e.window);
  CALL(MPI_Win_start, targets, 0, *e.window);
  move_all(e);
  CALL(MPI_Win_complete, *e.window);
  e.local();
  CALL(MPI_Win_wait, *e.window);
  e.look();
  barrier(e);
}

/// Local loads and stores of passive-target epochs stand in a lock of my own, which holds in both memory models.
void in_own_lock(const Epoch &e, int type, const std::function<void()> &action) {
  int rank = 0;
  CALL(MPI_Comm_rank, e.comm, &rank);
  CALL(MPI_Win_lock, type, rank, 0, *e.window);
  action();
  CALL(MPI_Win_unlock, rank, *e.window);
}

void prepare_passive(const Epoch &e) {
  in_own_lock(e, MPI_LOCK_EXCLUSIVE, e.prepare);
  barrier(e);
}

void look_passive(const Epoch &e) {
  e.local();
  barrier(e);
  in_own_lock(e, MPI_LOCK_SHARED, e.look);
  barrier(e);
}

void lock_exclusive(const Epoch &e) {
  prepare_passive(e);
  for (const int target : e.targets) {
    CALL(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, target, 0, *e.window);
    e.move(target, nullptr);
    CALL(MPI_Win_unlock, target, *e.window);
  }
  look_passive(e);
}

/// All targets are locked together: such an epoch may overlap others.
void lock_shared(const Epoch &e) {
  prepare_passive(e);
  for (const int target : e.targets) CALL(MPI_Win_lock, MPI_LOCK_SHARED, target, 0, *e.window);
  move_all(e);
  for (const int target : e.targets) CALL(MPI_Win_unlock, target, *e.window);
  look_passive(e);
}

void lock_all(const Epoch &e) {
  prepare_passive(e);
  CALL(MPI_Win_lock_all, 0, *e.window);
  move_all(e);
  CALL(MPI_Win_unlock_all, *e.window);
  look_passive(e);
}

/// One lock_all epoch that stays open while everybody looks: what must have completed the data is the flush alone.
void in_lock_all(const Epoch &e, const std::function<void()> &move_and_flush) {
  prepare_passive(e);
  CALL(MPI_Win_lock_all, 0, *e.window);
  move_and_flush();
  barrier(e);
  CALL(MPI_Win_sync, *e.window);
  e.look();
  barrier(e);
  CALL(MPI_Win_unlock_all, *e.window);
  barrier(e);
}

void flush(const Epoch &e) {
  in_lock_all(e, [&] {
    for (const int target : e.targets) {
      e.move(target, nullptr);
      CALL(MPI_Win_flush, target, *e.window);
    }
    e.local();
  });
}

void flush_all(const Epoch &e) {
  in_lock_all(e, [&] {
    move_all(e);
    CALL(MPI_Win_flush_all, *e.window);
    e.local();
  });
}

void flush_local(const Epoch &e) {
  in_lock_all(e, [&] {
    move_all(e);
    for (const int target : e.targets) CALL(MPI_Win_flush_local, target, *e.window);
    e.local();
    CALL(MPI_Win_flush_all, *e.window);
  });
}

void request(const Epoch &e) {
  in_lock_all(e, [&] {
    std::vector<MPI_Request> requests;
    for (const int target : e.targets) e.move(target, &requests);
    CALL(MPI_Waitall, static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    e.local();
    CALL(MPI_Win_flush_all, *e.window);
  });
}

constexpr Sync kSyncs[] = {
    {"fence", "MPI_Win_fence", fence},
    {"pscw", "MPI_Win_post, start, complete, wait", pscw},
    {"lock", "MPI_Win_lock (exclusive), unlock", lock_exclusive},
    {"lock_shared", "MPI_Win_lock (shared), unlock", lock_shared},
    {"lock_all", "MPI_Win_lock_all, unlock_all", lock_all},
    {"flush", "MPI_Win_lock_all, flush", flush},
    {"flush_all", "MPI_Win_lock_all, flush_all", flush_all},
    {"flush_local", "MPI_Win_lock_all, flush_local, flush_all", flush_local},
    {"request", "MPI_Win_lock_all, request-based calls, waitall, flush_all", request},
};

}  // namespace

std::span<const Sync> sync_table() { return kSyncs; }

}  // namespace doctor
