// Counting the users of an MPI that the library has started.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/mpi_use.hpp"

#include <mpi.h>

#include <mutex>
#include <utility>

namespace halocline::core {
namespace {

std::recursive_mutex mutex;  // of what follows; a face may define MPI_Init and MPI_Finalize, which are called here
int users = 0;
bool started = false;

Status start() {
  int running = 0, provided = 0;
  MPI_Initialized(&running);
  if (running) return Status::ok;
  HLC_TRY(check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread"));
  started = true;
  return Status::ok;
}

}  // namespace

Status begin_mpi_use(const char *call) {
  const std::lock_guard lock(mutex);
  int over = 0;
  MPI_Finalized(&over);
  if (over) return fail(Status::state, "%s: MPI has been finalised", call);
  HLC_TRY(start());
  users += 1;
  return Status::ok;
}

void end_mpi_use() {
  const std::lock_guard lock(mutex);
  users -= 1;
  if (users > 0 || !started) return;
  started = false;
  MPI_Finalize();
}

bool hand_mpi_over() {
  const std::lock_guard lock(mutex);
  return std::exchange(started, false);
}

bool keep_mpi() {
  const std::lock_guard lock(mutex);
  if (users > 0) started = true;
  return users > 0;
}

void drop_mpi_use() {
  const std::lock_guard lock(mutex);
  users -= 1;
}

}  // namespace halocline::core
