// The job of this process between gaspi_proc_init and gaspi_proc_term, and how every function enters it and waits in it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <new>
#include <vector>

#include "base/leaked_on_failure.hpp"
#include "base/mpi_end.hpp"
#include "engine/communicator/wait_until.hpp"
#include "faces/gaspi/answer.hpp"
#include "faces/gaspi/boxes.hpp"
#include "faces/gaspi/counters.hpp"
#include "faces/gaspi/pending_queries.hpp"
#include "faces/gaspi/queue.hpp"
#include "faces/gaspi/reads.hpp"
#include "faces/gaspi/session.hpp"
#include "faces/gaspi/visit.hpp"

namespace halocline::core::gaspi {

/// The state that gaspi_segment_create and gaspi_segment_use leave after a timeout, for the next call.
struct Making {
  bool begun = false;
  bool met = false;  // all have begun
  gaspi_return_t mine = GASPI_SUCCESS;
};

/// The state of this process while the job is open.
class Job : public LeakedOnFailure, public Session {
 public:
  explicit Job(const gaspi_config_t &chosen) : Session(chosen), reads(context), pending_queries(context), connections(context) {}

  /// Collective over MPI_COMM_WORLD, the same status on all ranks.
  Status open();
  /// The first step of gaspi_proc_term: `again` until what was sent has arrived, and all ranks have begun it. Collective.
  Status meet_to_end();
  /// The last step, after which nothing of the job is used any more. Collective.
  Status close();
  /// Whether any rank is lost by now.
  bool has_lost_ranks() { return !mpi_has_ended() && !failed(watch.look("gaspi_proc_term")) && watch.knows_any(); }

  /// Drives progress.
  void poll();
  /// To be called from time to time in a wait: looks for lost ranks. Fails if the job ends, or MPI has ended.
  Status attend(const char *call);

  Reads reads;
  PendingQueries pending_queries;
  Connections connections;
  Passive passive;
  Counters counters;
  std::array<Queue, kMostQueues> queues;
  std::array<Group, kMostGroups> groups;
  std::array<Making, kMostSegments> makings;
  bool started_mpi = false;
  std::atomic<bool> is_ending{false};  // no call waits any longer

 private:
  Status compare_config();
  Status open_network();
  Status commit_all();

  enum class Ending { not_begun, flushes, meets, met } ending_ = Ending::not_begun;
  std::vector<Flush> flushes_;
  MPI_Request meeting_ = MPI_REQUEST_NULL;
};

/// The open job; null if there is none. It stays valid as long as the visit during which this was called.
Job *the_job();

/// The result of a call after MPI_Finalize.
gaspi_return_t after_mpi();

/// Calls work(job); an allocation that fails in it becomes a code. Polls sometimes, so that calls that a program repeats until something
/// changes serve other ranks, too.
template <class Work>
gaspi_return_t enter(Work work) {
  const Visit visit;
  Job *job = the_job();
  if (!job) return GASPI_ERR_NOINIT;
  if (mpi_has_ended()) return after_mpi();
  job->context.network().poll_sometimes();
  try {
    return work(*job);
  } catch (const std::bad_alloc &) {
    return GASPI_ERR_MEMALLOC;
  }
}

/// As above for a function that writes one value.
template <class Value, class Work>
gaspi_return_t get(Value *value, Work work) {
  return enter([&](Job &job) {
    if (!value) return GASPI_ERR_NULLPTR;
    *value = static_cast<Value>(work(job));
    return GASPI_SUCCESS;
  });
}

inline gaspi_return_t code_of(Status status) { return answer(status); }
inline gaspi_return_t code_of(gaspi_return_t code) { return code; }

/// Calls look() until it returns neither `again` nor GASPI_TIMEOUT, or the time is over. A lost rank ends the wait only where look() fails
/// for it.
template <class Look>
gaspi_return_t until(Job &job, const char *call, Deadline &deadline, Look look, WakeUp wake_up = WakeUp::by_doorbell) {
  gaspi_return_t code = code_of(look());
  if (code != GASPI_TIMEOUT) return code;
  // Perhaps no other thread drives the progress that look() needs.
  job.poll();
  code = code_of(look());
  if (code != GASPI_TIMEOUT || deadline.looks_once()) return code;
  deadline.begin();
  Wait wait(job.context, wake_up);
  const auto look_again = [&] {
    code = code_of(look());
    return code == GASPI_TIMEOUT ? Status::again : Status::ok;
  };
  const auto attend = [&] {
    const Status goes_on = job.attend(call);
    job.poll();
    return goes_on;
  };
  const Status waited = pause_until(wait, look_again, attend, deadline);
  return failed(waited) ? answer(waited) : code;
}

template <class Look>
gaspi_return_t until(Job &job, const char *call, gaspi_timeout_t timeout_ms, Look look, WakeUp wake_up = WakeUp::by_doorbell) {
  Deadline deadline(timeout_ms);
  return until(job, call, deadline, look, wake_up);
}

}  // namespace halocline::core::gaspi
