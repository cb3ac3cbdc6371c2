// MPI deletes the attributes of MPI_COMM_SELF as the first step of MPI_Finalize (MPI 4.0, section 11.4.1).
// SPDX-License-Identifier: BSD-3-Clause
#include "base/mpi_end.hpp"

#include <mpi.h>

#include <mutex>

namespace halocline::core {
namespace {

int note_end(MPI_Comm, int, void *, void *) {
  mpi_end_was_seen.store(true, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

}  // namespace

std::atomic<bool> mpi_end_was_seen{false};

Status watch_end_of_mpi() {
  static std::mutex mutex;
  static bool watched = false;
  const std::lock_guard lock(mutex);
  if (watched) return Status::ok;
  int key = MPI_KEYVAL_INVALID;
  HLC_TRY(check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_end, &key, nullptr), "MPI_Comm_create_keyval"));
  HLC_TRY(check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr"));
  watched = true;
  return check_mpi(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");
}

}  // namespace halocline::core
