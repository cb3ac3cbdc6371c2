/* A GASPI program as its users write it, which knows nothing of MPI or Halocline: a ring of halos. SPDX-License-Identifier: BSD-3-Clause */
#include <GASPI.h>
#include <stdio.h>
#include <stdlib.h>

#define SUCCESS_OR_DIE(f)                                                     \
  do {                                                                        \
    const gaspi_return_t r = f;                                               \
    if (r != GASPI_SUCCESS) {                                                 \
      gaspi_string_t text;                                                    \
      gaspi_print_error(r, &text);                                            \
      fprintf(stderr, "%s, line %d: %s: %s\n", __FILE__, __LINE__, #f, text); \
      exit(EXIT_FAILURE);                                                     \
    }                                                                         \
  } while (0)

enum { CELLS = 4, STEPS = 50 };

static void wait_if_queue_full(const gaspi_queue_id_t queue, const gaspi_number_t requests) {
  gaspi_number_t most, posted;
  SUCCESS_OR_DIE(gaspi_queue_size_max(&most));
  SUCCESS_OR_DIE(gaspi_queue_size(queue, &posted));
  if (posted + requests > most) SUCCESS_OR_DIE(gaspi_wait(queue, GASPI_BLOCK));
}

static void wait_or_die(const gaspi_segment_id_t segment, const gaspi_notification_id_t wanted, const gaspi_notification_t expected) {
  gaspi_notification_id_t id;
  gaspi_notification_t value;
  SUCCESS_OR_DIE(gaspi_notify_waitsome(segment, wanted, 1, &id, GASPI_BLOCK));
  SUCCESS_OR_DIE(gaspi_notify_reset(segment, id, &value));
  if (id != wanted || value != expected) exit(EXIT_FAILURE);
}

int main(void) {
  const gaspi_segment_id_t segment = 0;
  const gaspi_queue_id_t queue = 0;
  const gaspi_size_t cell = sizeof(double);
  gaspi_rank_t rank, ranks;
  gaspi_pointer_t memory;

  SUCCESS_OR_DIE(gaspi_proc_init(GASPI_BLOCK));
  SUCCESS_OR_DIE(gaspi_proc_rank(&rank));
  SUCCESS_OR_DIE(gaspi_proc_num(&ranks));
  const gaspi_rank_t left = (gaspi_rank_t)((rank + ranks - 1) % ranks), right = (gaspi_rank_t)((rank + 1) % ranks);

  /* Two rows in turn, each with a halo cell at either end, and two notifications: a neighbour may be one step ahead, but not two. */
  SUCCESS_OR_DIE(gaspi_segment_create(segment, 2 * (CELLS + 2) * cell, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED));
  SUCCESS_OR_DIE(gaspi_segment_ptr(segment, &memory));
  for (gaspi_notification_t step = 1; step <= STEPS; ++step) {
    const gaspi_offset_t start = (step % 2) * (CELLS + 2);
    const gaspi_notification_id_t from_left = (gaspi_notification_id_t)(step % 2), from_right = (gaspi_notification_id_t)(2 + step % 2);
    double *row = (double *)memory + start;
    for (int i = 1; i <= CELLS; ++i) row[i] = 1e6 * step + 100.0 * rank + i;
    wait_if_queue_full(queue, 2);
    SUCCESS_OR_DIE(gaspi_write_notify(segment, (start + 1) * cell, left, segment, (start + CELLS + 1) * cell, cell, from_right, step, queue,
                                      GASPI_BLOCK));
    SUCCESS_OR_DIE(
        gaspi_write_notify(segment, (start + CELLS) * cell, right, segment, start * cell, cell, from_left, step, queue, GASPI_BLOCK));
    wait_or_die(segment, from_left, step);
    wait_or_die(segment, from_right, step);
    if (row[0] != 1e6 * step + 100.0 * left + CELLS || row[CELLS + 1] != 1e6 * step + 100.0 * right + 1) return EXIT_FAILURE;
    SUCCESS_OR_DIE(gaspi_wait(queue, GASPI_BLOCK));
  }
  printf("rank %d of %d sees its neighbour\n", rank, ranks);

  SUCCESS_OR_DIE(gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK));
  SUCCESS_OR_DIE(gaspi_proc_term(GASPI_BLOCK));
  return EXIT_SUCCESS;
}
