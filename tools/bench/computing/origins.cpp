// SPDX-License-Identifier: BSD-3-Clause
#include <armci.h>

#include <cstring>
#include <vector>

#include "bench/computing/origin.hpp"
#include "bench/frame/refusal.hpp"
#include "bench/frame/shared.hpp"
#include "bench/rma/calls.hpp"

namespace bench {

namespace {

class ArmciOrigin : public Origin {
 public:
  explicit ArmciOrigin(MPI_Comm comm) : Origin("ARMCI"), target_(size_of(comm) - 1), bases_(static_cast<std::size_t>(size_of(comm))) {
    if (ARMCI_Init() != 0 || ARMCI_Malloc(bases_.data(), sizeof(Exposed)) != 0) throw Refusal("ARMCI cannot be initialised");
    mine = static_cast<Exposed *>(bases_[static_cast<std::size_t>(rank_of(comm))]);
    std::memset(static_cast<void *>(mine), 0, sizeof *mine);
    ARMCI_Barrier();
  }
  ~ArmciOrigin() override {
    ARMCI_Barrier();
    ARMCI_Free(mine);
    ARMCI_Finalize();
  }

  void access(AccessKind kind, double *doubles) override {
    auto *const there = static_cast<Exposed *>(bases_.back());
    constexpr int bytes = sizeof there->moved;
    double one = 1;
    if (kind == AccessKind::put) ARMCI_Put(doubles, there->moved, bytes, target_);
    if (kind == AccessKind::get) ARMCI_Get(there->moved, doubles, bytes, target_);
    if (kind == AccessKind::accumulate) ARMCI_Acc(ARMCI_ACC_DBL, &one, doubles, there->sums, bytes, target_);
    if (kind == AccessKind::add) ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &fetched_, &there->counter, 1, target_);
    ARMCI_Fence(target_);
  }
  void meet() override { ARMCI_Barrier(); }

 private:
  int target_;
  std::vector<void *> bases_;
  long fetched_ = 0;
};

class MpiOrigin : public Origin {
 public:
  MpiOrigin(MPI_Comm comm, const std::string &name, bool loaded)
      : Origin(name), calls_(loaded ? loaded_calls() : host_calls()), comm_(comm), target_(size_of(comm) - 1) {
    calls_.allocate(sizeof(Exposed), 1, MPI_INFO_NULL, comm, &mine, &win_);
    std::memset(static_cast<void *>(mine), 0, sizeof *mine);
    MPI_Barrier(comm);
    calls_.lock_all(0, win_);
  }
  ~MpiOrigin() override {
    calls_.unlock_all(win_);
    calls_.free(&win_);
  }

  void access(AccessKind kind, double *doubles) override {
    constexpr int n = Exposed::kDoubles;
    const long one = 1;
    if (kind == AccessKind::put) calls_.put(doubles, n, MPI_DOUBLE, target_, offsetof(Exposed, moved), n, MPI_DOUBLE, win_);
    if (kind == AccessKind::get) calls_.get(doubles, n, MPI_DOUBLE, target_, offsetof(Exposed, moved), n, MPI_DOUBLE, win_);
    if (kind == AccessKind::accumulate)
      calls_.accumulate(doubles, n, MPI_DOUBLE, target_, offsetof(Exposed, sums), n, MPI_DOUBLE, MPI_SUM, win_);
    if (kind == AccessKind::add) calls_.fetch_and_op(&one, &fetched_, MPI_LONG, target_, offsetof(Exposed, counter), MPI_SUM, win_);
    calls_.flush(target_, win_);
  }
  /// The flush serves others, also where the barrier is of another library.
  void meet() override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm_, &request);
    for (int done = 0; done == 0;) {
      calls_.flush(target_, win_);
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
  }

 private:
  const RmaCalls &calls_;
  MPI_Comm comm_;
  int target_;
  MPI_Win win_ = MPI_WIN_NULL;
  long fetched_ = 0;
};

}  // namespace

std::unique_ptr<Origin> armci_origin(MPI_Comm comm) { return std::make_unique<ArmciOrigin>(comm); }
std::unique_ptr<Origin> mpi_origin(MPI_Comm comm, const std::string &name, bool loaded) {
  return std::make_unique<MpiOrigin>(comm, name, loaded);
}

}  // namespace bench
