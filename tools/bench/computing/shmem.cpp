// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>

#include <cstring>

#include "bench/computing/origin.hpp"
#include "bench/frame/refusal.hpp"
#include "bench/frame/shared.hpp"

namespace bench {

namespace {

class ShmemOrigin : public Origin {
 public:
  explicit ShmemOrigin(MPI_Comm comm) : Origin("OpenSHMEM"), target_(size_of(comm) - 1) {
    shmem_init();
    mine = static_cast<Exposed *>(shmem_malloc(sizeof(Exposed)));
    if (!mine) throw Refusal("the symmetric heap has no room (SHMEM_SYMMETRIC_SIZE)");
    std::memset(static_cast<void *>(mine), 0, sizeof *mine);
    shmem_barrier_all();
  }
  ~ShmemOrigin() override {
    shmem_free(mine);
    shmem_finalize();
  }

  bool has(AccessKind kind) const override { return kind != AccessKind::accumulate; }
  void access(AccessKind kind, double *doubles) override {
    if (kind == AccessKind::put) shmem_putmem(mine->moved, doubles, sizeof mine->moved, target_);
    if (kind == AccessKind::get) shmem_getmem(doubles, mine->moved, sizeof mine->moved, target_);
    if (kind == AccessKind::add) fetched_ = shmem_long_atomic_fetch_add(&mine->counter, 1, target_);
    shmem_quiet();
  }
  void meet() override { shmem_barrier_all(); }

 private:
  int target_;
  long fetched_ = 0;
};

}  // namespace

std::unique_ptr<Origin> shmem_origin(MPI_Comm comm) { return std::make_unique<ShmemOrigin>(comm); }

}  // namespace bench
