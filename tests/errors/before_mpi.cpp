// A context cannot be opened before MPI_Init nor after MPI_Finalize: HLC_ERR_STATE, and no crash inside MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.h>

#include <cstdio>

namespace {

int refused(const char *when) {
  hlc_context *context = nullptr;
  const hlc_status status = hlc_init(MPI_COMM_WORLD, &context);
  if (status == HLC_ERR_STATE && !context) return 0;
  std::printf("%s: expected HLC_ERR_STATE, got %s: %s\n", when, hlc_status_name(status), hlc_error_message());
  return 1;
}

}  // namespace

int main(int argc, char **argv) {
  int failed = refused("before MPI_Init");
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  failed += refused("after MPI_Finalize");
  if (rank == 0) std::printf("%d passed, %d failed, 0 skipped\n", 2 - failed, failed);
  return failed;
}
