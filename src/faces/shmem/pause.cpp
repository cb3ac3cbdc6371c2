// When a wait ends without what it waits for.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/pause.hpp"

#include <ctime>

namespace halocline::core::shmem {
namespace {

/// As long as a launcher may take to end all processes once one has aborted.
constexpr long kAbort_ns = 500'000'000;

}  // namespace

Status look_for_failure(const char *call, const char *what, Job &job, const Wait &wait) {
  if (const int dead = job.context.find_dead(); dead >= 0) {
    // A process that ends with a message of its own ends all others, which need not write any.
    constexpr std::timespec moment{0, kAbort_ns};
    nanosleep(&moment, nullptr);
    return fail(Status::peer_died, "%s: PE %d waits for %s, and the process of PE %d has ended", call, job.rank(), what, dead);
  }
  HLC_TRY(job.watch.look(call));
  if (job.segment) HLC_TRY(job.segment->check_network(call));
  if (!wait.timed_out()) return Status::ok;
  return fail(Status::timeout, "%s: PE %d timed out after %lld s waiting for %s (HALOCLINE_TIMEOUT)", call, job.rank(),
              static_cast<long long>(job.context.timeout_ns() / 1'000'000'000), what);
}

}  // namespace halocline::core::shmem
