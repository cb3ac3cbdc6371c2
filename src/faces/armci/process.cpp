// Beginning and ending ARMCI; errors.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdarg>
#include <cstdio>
#include <mutex>

#include "engine/communicator/collective.hpp"
#include "faces/armci/job.hpp"
#include "faces/armci/mutex_set.hpp"
#include "faces/armci/profiling.hpp"

namespace halocline::core::armci {
namespace {

constexpr const char *kInit = "ARMCI_Init", *kFinalize = "ARMCI_Finalize";

int begun = 0;  // calls of ARMCI_Init that no call of ARMCI_Finalize has followed

/// The communicator is MPI_COMM_NULL for all processes.
int begin(MPI_Comm ranks) {
  const std::unique_lock beginning = runtime.change();
  if (!beginning) end_all_with("%s: another thread begins or ends ARMCI", kInit);
  if (begun++ > 0) return 0;
  settle(runtime.start(kInit));
  settle(runtime.begin(std::make_unique<Job>(ranks == MPI_COMM_NULL ? MPI_COMM_WORLD : ranks)));
  return 0;
}

int begin_thread(const char *call, int requested, MPI_Comm ranks) {
  const int code = begin(ranks);
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (requested > provided) return refuse(FAIL, "%s: thread level %d is needed, but MPI provides %d", call, requested, provided);
  return code;
}

/// All processes have called ARMCI_Finalize when it returns, and what they have sent has arrived.
void meet(Job &job) {
  job.fence(kFinalize);
  settle(await(job, kFinalize, [&] { return job.meet_to_end(); }));
}

int end() {
  const std::unique_lock ending = runtime.change();
  if (!ending) end_all_with("%s: another thread begins or ends ARMCI", kFinalize);
  if (begun == 0 || !the_job()) end_without_job(kFinalize);
  if (--begun > 0) return 0;
  if (mpi_has_ended()) {
    runtime.abandon();
    end_all_with("%s: MPI has been finalised; call ARMCI_Finalize first", kFinalize);
  }
  {
    const Visit visit;
    meet(*the_job());
  }
  settle(runtime.end(Status::ok));
  return 0;
}

}  // namespace

int rank_or_none() {
  const Job *const job = the_job();
  return job ? job->rank() : -1;
}

void need_argument(const char *call, const char *name, const void *argument) {
  if (!argument) end_all_with("%s on rank %d: %s is NULL", call, rank_or_none(), name);
}

}  // namespace halocline::core::armci

using namespace halocline::core::armci;

extern "C" {

int PARMCI_Init(void) { return begin(MPI_COMM_NULL); }
int PARMCI_Init_args(int *, char ***) { return begin(MPI_COMM_NULL); }
int PARMCI_Init_thread(int armci_requested) { return begin_thread("ARMCI_Init_thread", armci_requested, MPI_COMM_NULL); }
int PARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm) { return begin_thread("ARMCI_Init_thread_comm", armci_requested, comm); }
int PARMCI_Init_mpi_comm(MPI_Comm comm) { return begin(comm); }
int PARMCI_Initialized(void) { return the_job() ? 1 : 0; }
int PARMCI_Finalize(void) { return end(); }

void ARMCI_Cleanup(void) {}

void ARMCI_Error(const char *msg, int code) {
  std::fprintf(stderr, "%d: %s (code %d)\nhalocline: ARMCI_Error on rank %d: the program ends with code %d\n", rank_or_none(),
               msg ? msg : "", code, rank_or_none(), code);
  std::fflush(stderr);
  end_all_at(code);
}

[[gnu::format(printf, 1, 2)]] void armci_assertion_print(const char *format, ...) {
  std::va_list values;
  va_start(values, format);
  std::vfprintf(stderr, format, values);
  va_end(values);
  std::fflush(stderr);
}

void armci_assertion_failed(const char *condition, const char *file, const char *function, int line, int code) {
  std::fprintf(stderr, "halocline: an assertion of ARMCI on rank %d: %s is false in %s (%s:%d); the program ends with code %d\n",
               rank_or_none(), condition, function, file, line, code);
  std::fflush(stderr);
  end_all_at(code);
}

HLC_ARMCI_ALIAS(Init);
HLC_ARMCI_ALIAS(Init_args);
HLC_ARMCI_ALIAS(Init_thread);
HLC_ARMCI_ALIAS(Init_thread_comm);
HLC_ARMCI_ALIAS(Init_mpi_comm);
HLC_ARMCI_ALIAS(Initialized);
HLC_ARMCI_ALIAS(Finalize);

}  // extern "C"
