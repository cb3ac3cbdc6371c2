// The meeting before a call of MPI that blocks, and the thread that watches during it.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/armci/blocked_call.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/blocked_signals.hpp"

namespace halocline::core::armci {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};

/// Of the context's communicator: below those of the engine's clocks, above all others of the library.
constexpr int kMeetingTag = 32'750;

void pass_on(Job &job, const char *call, int to, int from) {
  MPI_Request sent = MPI_REQUEST_NULL, received = MPI_REQUEST_NULL;
  settle_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, from, kMeetingTag, job.context.comm(), &received), "MPI_Irecv");
  settle_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, to, kMeetingTag, job.context.comm(), &sent), "MPI_Isend");
  await_mpi(job, call, received);
  await_mpi(job, call, sent);
}

}  // namespace

void meet_members(Job &job, const char *call, const std::vector<int> &procs) {
  const auto count = static_cast<int>(procs.size());
  const auto me = static_cast<int>(std::find(procs.begin(), procs.end(), job.rank()) - procs.begin());
  const auto at = [&](int index) { return procs[static_cast<std::size_t>(index % count)]; };
  for (int step = 1; step < count; step *= 2) pass_on(job, call, at(me + step), at(me + count - step));
}

BlockedCall::BlockedCall(Job &job, const char *call) : job_(job), call_(call) {
  if (job.context.members() == 1) return;
  const BlockedSignals blocked;
  try {
    thread_ = std::thread([this] { watch(); });
    // NOLINTNEXTLINE(bugprone-empty-catch): where no thread is to be had, the call is not watched
  } catch (const std::system_error &) {
  }
}

BlockedCall::~BlockedCall() {
  {
    const std::lock_guard lock(mutex_);
    has_returned_ = true;
  }
  returned_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void BlockedCall::watch() {
  std::unique_lock lock(mutex_);
  while (!returned_.wait_for(lock, kBetweenLooks, [this] { return has_returned_; }))
    for (int proc = 0; proc < job_.size(); ++proc)
      if (job_.is_on_node(proc) && !job_.context.doorbell().alive(job_.member_of(proc)))
        end_all_with("%s on rank %d: the process of rank %d has ended", call_, job_.rank(), proc);
}

}  // namespace halocline::core::armci
