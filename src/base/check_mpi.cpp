// MPI's own text as the thread's error message. In a file of its own, because the helper process links the rest without MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "base/status.hpp"

namespace halocline::core {

Status check_mpi(int code, const char *call) {
  if (code == MPI_SUCCESS) return Status::ok;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return fail(Status::mpi, "%s: %s", call, text);
}

}  // namespace halocline::core
