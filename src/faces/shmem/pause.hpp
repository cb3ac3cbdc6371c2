// Waits for what other PEs do. Puts ring no doorbell, so that waits look again and again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/communicator/wait_until.hpp"
#include "faces/common/long_wait.hpp"
#include "faces/shmem/failure.hpp"
#include "faces/shmem/job.hpp"

namespace halocline::core::shmem {

/// Whether a wait of a call for `what` may continue: fails if a process of the node has ended, a PE of another node is not reached any more, a
/// request to one has failed, or the limit that the user has set is over.
Status look_for_failure(const char *call, const char *what, Job &job, const Wait &wait);

/// Polls the network and looks, for as long as another node takes for a reply. A wait that only polls yields its core long before that, and other
/// processes may keep the core for milliseconds. Not where PEs share cores.
template <class Look>
Status look_often(Job &job, Look look) {
  constexpr int kLooks = 100;
  if (job.context.nodes() == 1 || !job.context.core_per_rank()) return Status::again;
  Status found = Status::again;
  for (int looks = 0; looks < kLooks && found == Status::again; ++looks) {
    job.context.network().poll();
    found = look();
  }
  return found;
}

/// Waits until look() returns anything but `again`, drives progress meanwhile, and ends the job if that fails.
template <class Look>
void wait_while_again(const char *call, const char *what, Look look) {
  const Status at_once = look();
  if (at_once != Status::again) return must(at_once);
  Job &job = need_job(call);
  const Status soon = look_often(job, look);
  if (soon != Status::again) return must(soon);
  Wait wait(job.context, WakeUp::by_polling);
  const LongWait long_wait;
  must(pause_until(wait, look, [&] {
    long_wait.report(call, "PE", job.rank(), what);
    return look_for_failure(call, what, job, wait);
  }));
}

/// Waits until there() is true.
template <class There>
void wait_for(const char *call, const char *what, There there) {
  wait_while_again(call, what, [&] { return there() ? Status::ok : Status::again; });
}

}  // namespace halocline::core::shmem
