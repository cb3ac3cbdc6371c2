/* GASPI: gaspi_write_notify sends a token round the ring of ranks, and each adds its number. MPI is not used directly.
 * Build: cc 07_gaspi.c $(pkg-config --cflags --libs halocline-gaspi) -o 07_gaspi
 * Run:   mpiexec -n 4 ./07_gaspi    prints: 07_gaspi: 4 ranks, sum 6: ok
 * SPDX-License-Identifier: BSD-3-Clause */
#include <GASPI.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the sentence of gaspi_print_error if a call fails; the launcher then ends the other ranks. */
#define CHECK(call)                             \
  do {                                          \
    const gaspi_return_t code = (call);         \
    if (code != GASPI_SUCCESS) {                \
      gaspi_string_t text;                      \
      gaspi_print_error(code, &text);           \
      fprintf(stderr, "%s: %s\n", #call, text); \
      exit(EXIT_FAILURE);                       \
    }                                           \
  } while (0)

/* Waits for notification 0 of segment 0, and takes it: the data that it announces have arrived. */
static void receive(void) {
  gaspi_notification_id_t id;
  gaspi_notification_t value;
  CHECK(gaspi_notify_waitsome(0, 0, 1, &id, GASPI_BLOCK));
  CHECK(gaspi_notify_reset(0, id, &value));
}

int main(void) {
  gaspi_rank_t rank, size;
  gaspi_pointer_t memory;
  CHECK(gaspi_proc_init(GASPI_BLOCK));
  CHECK(gaspi_proc_rank(&rank));
  CHECK(gaspi_proc_num(&size));

  /* Segment 0 holds two numbers of each rank: what it sends, and what it has received. */
  CHECK(gaspi_segment_create(0, 2 * sizeof(long), GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED));
  CHECK(gaspi_segment_ptr(0, &memory));
  long *out = memory, *in = out + 1;

  /* Rank 0 sends the token, all others receive it first. Write from offset 0 here to offset 8 there, by queue 0. */
  if (rank != 0) receive();
  *out = *in + rank;
  CHECK(gaspi_write_notify(0, 0, (gaspi_rank_t)((rank + 1) % size), 0, sizeof(long), sizeof(long), 0, 1, 0, GASPI_BLOCK));
  if (rank == 0) receive();
  CHECK(gaspi_wait(0, GASPI_BLOCK)); /* from here on *out may be changed */

  /* The token is the sum of all ranks before mine; on rank 0, where it returns, that of all ranks. */
  const int before = rank == 0 ? size : rank, right = *in == before * (before - 1) / 2;
  if (rank == 0) printf("07_gaspi: %d ranks, sum %ld: %s\n", size, *in, right ? "ok" : "WRONG");
  CHECK(gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK));
  CHECK(gaspi_proc_term(GASPI_BLOCK));
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
