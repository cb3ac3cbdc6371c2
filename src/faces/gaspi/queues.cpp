// GASPI 17.1, sections 8.2.3 and 8.5: queues.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/posting.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::core::gaspi;

namespace {

constexpr const char *kWait = "gaspi_wait";

/// Reports a failure of the queue once, and marks the ranks to which a request has failed as reported.
gaspi_return_t report_lost(Job &job, Queue &queue) {
  const std::vector<int> lost = queue.lost();
  if (lost.empty()) return GASPI_ERROR;  // another thread has reported it, or the job ends
  static_cast<void>(job.watch.look(kWait));
  for (const int rank : lost) static_cast<void>(job.watch.report(kWait, rank));
  static_cast<void>(queue.report());  // sets the error message
  return GASPI_ERROR;
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_wait(gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    if (const gaspi_return_t wrong = check_queue(job, queue); wrong != GASPI_SUCCESS) return wrong;
    job.counters.count(Counter::waits, 1);
    const gaspi_return_t waited = until(job, kWait, timeout_ms, [&] { return job.queues[queue].look(job.context); });
    return waited == GASPI_ERROR ? report_lost(job, job.queues[queue]) : waited;
  });
}

gaspi_return_t pgaspi_queue_size(gaspi_queue_id_t queue, gaspi_number_t *queue_size) {
  return enter([&](Job &job) {
    if (!queue_size) return GASPI_ERR_NULLPTR;
    if (const gaspi_return_t wrong = check_queue(job, queue); wrong != GASPI_SUCCESS) return wrong;
    *queue_size = job.queues[queue].size();
    return GASPI_SUCCESS;
  });
}

gaspi_return_t pgaspi_queue_create(gaspi_queue_id_t *queue, gaspi_timeout_t) {
  return enter([&](Job &job) {
    if (!queue) return GASPI_ERR_NULLPTR;
    for (unsigned id = 0; id < kMaxQueues; ++id) {
      if (job.queues[id].exists.exchange(true)) continue;
      *queue = static_cast<gaspi_queue_id_t>(id);
      return GASPI_SUCCESS;
    }
    return GASPI_ERR_INV_QUEUE;
  });
}

gaspi_return_t pgaspi_queue_delete(gaspi_queue_id_t queue) {
  return enter([&](Job &job) {
    if (const gaspi_return_t wrong = check_queue(job, queue); wrong != GASPI_SUCCESS) return wrong;
    job.queues[queue].purge();
    job.queues[queue].exists = false;
    return GASPI_SUCCESS;
  });
}

gaspi_return_t pgaspi_queue_purge(gaspi_queue_id_t queue, gaspi_timeout_t) {
  return enter([&](Job &job) {
    if (const gaspi_return_t wrong = check_queue(job, queue); wrong != GASPI_SUCCESS) return wrong;
    job.queues[queue].purge();
    return GASPI_SUCCESS;
  });
}

HLC_WEAK_ALIAS(wait);
HLC_WEAK_ALIAS(queue_size);
HLC_WEAK_ALIAS(queue_create);
HLC_WEAK_ALIAS(queue_delete);
HLC_WEAK_ALIAS(queue_purge);

}  // extern "C"
