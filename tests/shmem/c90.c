/* A program in C90, compiled with -pedantic-errors, that uses old names as well. Its last line has the number of wrong values.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pshmem.h>
#include <stdio.h>

static long counter, received;

int main(void) {
  int me, size, wrong = 0;
  long sum = 0;
  int pe;
  start_pes(0);
  me = _my_pe();
  size = _num_pes();
  shmem_long_p(&received, 100 + me, (me + 1) % size);
  for (pe = 0; pe < size; ++pe) shmem_long_atomic_add(&counter, me + 1, pe);
  shmem_barrier_all();
  for (pe = 0; pe < size; ++pe) sum += pe + 1;
  if (counter != sum) ++wrong;
  if (received != 100 + (me + size - 1) % size) ++wrong;
  if (pshmem_long_g(&received, me) != received) ++wrong;
  printf("PE %d: %d wrong\n", me, wrong);
  shmem_barrier_all();
  shmem_finalize();
  return wrong;
}
