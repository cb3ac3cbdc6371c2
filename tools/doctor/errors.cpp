// SPDX-License-Identifier: BSD-3-Clause
#include "errors.hpp"

#include <utility>

namespace doctor {
namespace {

int kept = MPI_SUCCESS;

void keep_comm_error(MPI_Comm *, int *code, ...) { kept = *code; }
void keep_window_error(MPI_Win *, int *code, ...) { kept = *code; }

}  // namespace

void return_comm_errors(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(keep_comm_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
}

void return_window_errors(MPI_Win window) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win_create_errhandler(keep_window_error, &handler);
  MPI_Win_set_errhandler(window, handler);
  MPI_Errhandler_free(&handler);
}

int error_of(int code) {
  const int of_handler = std::exchange(kept, MPI_SUCCESS);
  return code != MPI_SUCCESS ? code : of_handler;
}

}  // namespace doctor
