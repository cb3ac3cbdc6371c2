// Waits for what other PEs do. Puts ring no doorbell, so that waits look again and again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/communicator/wait_until.hpp"
#include "faces/shmem/failure.hpp"
#include "faces/shmem/job.hpp"

namespace halocline::core::shmem {

/// Whether a wait of a call for `what` may continue: fails if a process of the node has ended, a PE of another node is not reached any more, a
/// request to one has failed, or the limit that the user has set is over.
Status look_for_failure(const char *call, const char *what, Job &job, const Wait &wait);

/// Waits until look() returns anything but `again`, drives progress meanwhile, and ends the job if that fails.
template <class Look>
void wait_while_again(const char *call, const char *what, Look look) {
  Status found = look();
  if (found == Status::again) {
    Job &job = need_job(call);
    Wait wait(job.context, WakeUp::by_polling);
    found = pause_until(wait, look, [&] { return look_for_failure(call, what, job, wait); });
  }
  must(found);
}

/// Waits until there() is true.
template <class There>
void wait_for(const char *call, const char *what, There there) {
  wait_while_again(call, what, [&] { return there() ? Status::ok : Status::again; });
}

}  // namespace halocline::core::shmem
