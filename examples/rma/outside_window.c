/* Displacements count in units of the window. docs/rma/mistakes-windows.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  const int64_t value = 7;
  const MPI_Aint place = 3 * sizeof value; /* bytes, but the window counts numbers of 8 bytes */
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  if (rank == 1) MPI_Put(&value, 1, MPI_INT64_T, 0, place, 1, MPI_INT64_T, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

static int right(void) {
  const int64_t value = 7;
  const MPI_Aint place = 3; /* of the unit that MPI_Win_allocate was given */
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  if (rank == 1) MPI_Put(&value, 1, MPI_INT64_T, 0, place, 1, MPI_INT64_T, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  return rank != 0 || numbers[3] == 7;
}
