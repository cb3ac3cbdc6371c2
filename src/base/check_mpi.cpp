// MPI's own text as the thread's error message. Apart, so that the helper process, which has no MPI, links the rest.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/status.hpp"

namespace halocline {

Status check_mpi(int code, const char *call) {
  if (code == MPI_SUCCESS) return Status::ok;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return fail(Status::mpi, "%s: %s", call, text);
}

}  // namespace halocline
