// Mode passive_naive: the simple first version of passive. A lock_all epoch for every round, closed by unlock_all, and a non-blocking
// barrier that announces to all ranks that all data have arrived. Kept for comparison. Source: Brown et al., section V-A.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/modes/window_channel.hpp"

namespace halocline::core {
namespace {

class PassiveNaiveChannel final : public WindowChannel {
 public:
  using WindowChannel::WindowChannel;

  ~PassiveNaiveChannel() override {
    if (barrier_comm_ != MPI_COMM_NULL) MPI_Comm_free(&barrier_comm_);
  }

  /// The barrier has its own communicator: one that a late rank has not entered must not be matched with the agreement at the end.
  Status create() override {
    HLC_TRY(create_windows(1));
    return check_mpi(MPI_Comm_dup(plan_.comm, &barrier_comm_), "MPI_Comm_dup");
  }

  Status open() override {
    HLC_TRY(WindowChannel::open());
    unlocked_ = passed_ = false;
    return check_mpi(MPI_Win_lock_all(0, window()), "MPI_Win_lock_all");
  }

  Status poll(int *e) override {
    const Status status = end_epoch();
    return status == Status::ok ? next_arrival(e) : status;
  }

  Status close(int *rank) override {
    *rank = some_peer();
    return end_epoch();
  }
  BlockingSteps blocks() const override { return {.poll = true}; }
  bool knows_who() const override { return false; }

 private:
  Status end_epoch() {
    if (!unlocked_) {
      unlocked_ = true;
      HLC_TRY(check_mpi(MPI_Win_unlock_all(window()), "MPI_Win_unlock_all"));
      HLC_TRY(check_mpi(MPI_Ibarrier(barrier_comm_, &barrier_), "MPI_Ibarrier"));
    }
    if (passed_) return Status::ok;
    int flag = 0;
    HLC_TRY(check_mpi(MPI_Test(&barrier_, &flag, MPI_STATUS_IGNORE), "MPI_Test"));
    if (!flag) return Status::again;
    passed_ = true;
    return synchronise();
  }

  /// Makes what others have put visible to local loads: a lock on this rank's own memory does so in both memory models.
  Status synchronise() {
    const int me = plan_.topology->rank();
    HLC_TRY(check_mpi(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, window()), "MPI_Win_lock"));
    HLC_TRY(check_mpi(MPI_Win_sync(window()), "MPI_Win_sync"));
    return check_mpi(MPI_Win_unlock(me, window()), "MPI_Win_unlock");
  }

  MPI_Comm barrier_comm_ = MPI_COMM_NULL;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  bool unlocked_ = true, passed_ = true;
};

}  // namespace

std::unique_ptr<Channel> make_passive_naive(Plan &plan, std::vector<int> edges) {
  return std::make_unique<PassiveNaiveChannel>(plan, std::move(edges));
}

}  // namespace halocline::core
