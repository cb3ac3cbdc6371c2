/*
 * A profiling tool in a file of its own: it counts puts. The program that it is linked with knows nothing of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pshmem.h>

int puts_seen;

void shmem_long_p(long *dest, long value, int pe) {
  ++puts_seen;
  pshmem_long_p(dest, value, pe);
}
