// Beginning and ending a job.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/common/runtime.hpp"

#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <utility>

#include "base/mpi_use.hpp"

namespace halocline::core {
namespace {

/// Leaks a job that has lost a rank: what MPI still holds of it cannot be released.
void leave_behind(std::unique_ptr<FaceJob> lost) {
  lost->abandon();
  leak(std::move(lost));
}

}  // namespace

constinit Runtime runtime;

Status Runtime::start(const char *call) {
  HLC_TRY(begin_mpi_use(call));
  Visit::prepare();
  return Status::ok;
}

Status Runtime::begin(std::unique_ptr<FaceJob> opening) {
  const Status opened = opening->open();
  if (failed(opened)) {
    opening->context.lost() ? leave_behind(std::move(opening)) : drop_mpi_use();
    return opened;
  }
  // Runs before the exit handler of the provider, which was loaded meanwhile.
  static const int registered = std::atexit(leave);
  static_cast<void>(registered);
  begun_in_ = getpid();
  job_ = opening.release();
  return Status::ok;
}

/// For a program that ends without ending the job: ends the threads of the library before what they use.
void Runtime::leave() {
  if (runtime.begun_in_ != getpid()) return;
  FaceJob *left = runtime.job_.exchange(nullptr);
  if (left && Visit::is_alone()) leave_behind(std::unique_ptr<FaceJob>(left));
}

/// From now on no call finds the job. Returns when no call uses it any more; calls that wait notice that it ends.
std::unique_ptr<FaceJob> Runtime::take_away() {
  constexpr std::timespec moment{0, 100'000};
  FaceJob *open = job_.load(std::memory_order_relaxed);
  open->is_ending = true;
  // SYNC visit-before-job (pairs with Visit): a thread that has found the job is counted.
  job_.store(nullptr, std::memory_order_seq_cst);
  while (!Visit::is_alone()) nanosleep(&moment, nullptr);
  return std::unique_ptr<FaceJob>(open);
}

Status Runtime::end(Status met) {
  std::unique_ptr<FaceJob> closed = take_away();
  const Status ended = failed(met) ? met : closed->close();
  if (failed(ended)) {
    const bool alone = closed->has_lost_ranks();
    leave_behind(std::move(closed));
    return alone ? Status::ok : ended;
  }
  closed.reset();
  end_mpi_use();
  return Status::ok;
}

void Runtime::abandon() { leave_behind(take_away()); }

}  // namespace halocline::core
