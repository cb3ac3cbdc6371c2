/* Atomics in a segment: all ranks count themselves at rank 0, and compare-and-swap elects the one that adds 100.
 * Build: mpicc 02_atomics.c $(pkg-config --cflags --libs halocline) -o 02_atomics
 * Run:   mpiexec -n 4 ./02_atomics    prints: 02_atomics: 4 ranks, counter 104: ok
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t info;
  CHECK(hlc_context_info(context, &info));

  /* Two numbers of rank 0, both 0 at first; the other ranks give no memory. */
  enum { COUNTER = 0, LEADER = 8 };
  hlc_segment *segment;
  CHECK(hlc_segment_create(context, &(hlc_segment_spec){.bytes = info.rank == 0 ? 16 : 0}, &segment));
  const hlc_target counter = {segment, 0, COUNTER}, leader = {segment, 0, LEADER};

  /* Each rank adds 1. The previous value of the counter is a number that no other rank gets. */
  int64_t ticket, former, count;
  CHECK(hlc_atomic_fetch_add(counter, HLC_NUMBER_INT64, 1, &ticket));

  /* The one rank that finds 0 is the leader: it has put its rank + 1 there in the same step. It adds 100. */
  CHECK(hlc_atomic_compare_swap(leader, HLC_NUMBER_INT64, 0, info.rank + 1, &former));
  if (former == 0) CHECK(hlc_atomic_fetch_add(counter, HLC_NUMBER_INT64, 100, NULL));

  /* An atomic is complete when it returns, so after the barrier all have counted. Adding 0 reads. */
  CHECK(hlc_barrier(segment));
  CHECK(hlc_atomic_fetch_add(counter, HLC_NUMBER_INT64, 0, &count));

  const int right = count == info.size + 100 && ticket % 100 < info.size && former >= 0 && former <= info.size;
  const int status = report("02_atomics", "counter", count, right);
  CHECK(hlc_segment_free(&segment));
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return status;
}
