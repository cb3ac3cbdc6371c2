// The job of this process between gaspi_proc_init and gaspi_proc_term, and how every function enters it and waits in it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "engine/communicator/wait_until.hpp"
#include "faces/common/runtime.hpp"
#include "faces/gaspi/answer.hpp"
#include "faces/gaspi/boxes.hpp"
#include "faces/gaspi/counters.hpp"
#include "faces/gaspi/pending_queries.hpp"
#include "faces/gaspi/queue.hpp"
#include "faces/gaspi/reads.hpp"
#include "faces/gaspi/session.hpp"

namespace halocline::core::gaspi {

/// The state that gaspi_segment_create and gaspi_segment_use leave after a timeout, for the next call.
struct Making {
  bool begun = false;
  bool met = false;  // all have begun
  gaspi_return_t mine = GASPI_SUCCESS;
};

/// The state of this process while the job is open.
class Job final : public Session {
 public:
  explicit Job(const gaspi_config_t &chosen) : Session(chosen), reads(context), pending_queries(context), connections(context) {}

  /// Drives progress.
  void poll();

  Reads reads;
  PendingQueries pending_queries;
  Connections connections;
  Passive passive;
  Counters counters;
  std::array<Queue, kMaxQueues> queues;
  std::array<Group, kMaxGroups> groups;
  std::array<Making, kMaxSegments> makings;

 private:
  Status open_face() override;
  Status compare_config();
  Status commit_all();
};

/// The open job; null if there is none. It stays valid as long as the visit during which this was called.
inline Job *the_job() { return static_cast<Job *>(runtime.job()); }

/// The result of a call after MPI_Finalize.
inline gaspi_return_t after_mpi() { return answer(fail(Status::state, "MPI has been finalised")); }

/// What enter_face asks for.
struct Face {
  using Code = gaspi_return_t;
  static Job *job() { return the_job(); }
  static Code no_job() { return GASPI_ERR_NOINIT; }
  static Code after_mpi() { return gaspi::after_mpi(); }
  static Code code(Status status) { return answer(status); }
};

/// Calls work(job); an allocation that fails in it becomes a code.
template <class Work>
gaspi_return_t enter(Work work) {
  return enter_face<Face>(work);
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
