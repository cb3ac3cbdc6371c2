/* One put: each rank writes its number into the segment of the rank to its right, and a barrier says that all have arrived.
 * Build: mpicc 00_hello_put.c $(pkg-config --cflags --libs halocline) -o 00_hello_put
 * Run:   mpiexec -n 4 ./00_hello_put    prints: 00_hello_put: 4 ranks, rank 0 got 3: ok
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t info;
  CHECK(hlc_context_info(context, &info));
  const int left = (info.rank + info.size - 1) % info.size, right = (info.rank + 1) % info.size;

  /* A segment is memory of each rank that every rank may write to. Here each gives eight bytes. */
  hlc_segment *segment;
  CHECK(hlc_segment_create(context, &(hlc_segment_spec){.bytes = sizeof(int64_t)}, &segment));
  const int64_t *mine = hlc_segment_data(segment);

  /* After the flush my number is in the right rank's part. After the barrier the left rank's number is in mine. */
  const int64_t number = info.rank;
  CHECK(hlc_put((hlc_target){segment, right, 0}, &number, sizeof number));
  CHECK(hlc_flush(segment, right));
  CHECK(hlc_barrier(segment));

  const int status = report("00_hello_put", "rank 0 got", *mine, *mine == left);
  CHECK(hlc_segment_free(&segment));
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return status;
}
