/* A put with a notification: a token goes round the ring of ranks, and each adds its number. There is no barrier.
 * Build: mpicc 01_notify.c $(pkg-config --cflags --libs halocline) -o 01_notify
 * Run:   mpiexec -n 4 ./01_notify    prints: 01_notify: 4 ranks, sum 6: ok
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

/* Waits for notification 0, takes it, and returns the token that it announces. */
static int64_t receive(hlc_segment *segment) {
  int id;
  uint32_t value;
  CHECK(hlc_notify_wait(segment, (hlc_ids){.first = 0, .count = 1}, &id));
  CHECK(hlc_notify_reset(segment, id, &value));
  return *(const int64_t *)hlc_segment_data(segment);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t info;
  CHECK(hlc_context_info(context, &info));
  const int right = (info.rank + 1) % info.size;
  hlc_segment *segment;
  CHECK(hlc_segment_create(context, &(hlc_segment_spec){.bytes = sizeof(int64_t), .notifications = 1}, &segment));

  /* Rank 0 sends the token, all others receive it first. The notification never precedes its own data. */
  int64_t got = info.rank == 0 ? 0 : receive(segment);
  const int64_t token = got + info.rank;
  CHECK(hlc_put_notify((hlc_target){segment, right, 0}, &token, sizeof token, (hlc_notification){.id = 0, .value = 1}));
  if (info.rank == 0) got = receive(segment);
  CHECK(hlc_flush(segment, right)); /* from here on token may be changed */

  /* The token is the sum of all ranks before mine; on rank 0, where it returns, that of all ranks. */
  const int before = info.rank == 0 ? info.size : info.rank;
  const int status = report("01_notify", "sum", got, got == before * (before - 1) / 2);
  CHECK(hlc_segment_free(&segment));
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return status;
}
