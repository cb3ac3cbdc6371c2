/* Neighbourhood collectives on buffers that the driver calls a device's: the drop-in leaves their bytes to the host MPI, and moves the messages
   itself. Here that memory is the host's, named otherwise, as no MPI at hand knows of devices. Blocks in slots and longer ones, with gaps, in both
   directions, on one rank or on all.
   SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/stand_in.h"

enum { LONGEST = 40000 };

static int rank, ranks;

static int value_of(int from, int block, int i, int count) { return from * 1000000 + block * 500000 + count + i; }

/* Two blocks of `count` numbers each, every second one of which is sent if there are gaps. */
static int exchange(MPI_Comm ring, int *sent, int *received, int count, int with_gaps) {
  const int step = with_gaps ? 2 : 1, left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Datatype type;
  MPI_Type_vector(count, 1, step, MPI_INT, &type);
  MPI_Type_commit(&type);
  const int counts[2] = {1, 1};
  const MPI_Aint places[2] = {0, (MPI_Aint)(2 * LONGEST * sizeof(int))};
  const MPI_Datatype types[2] = {type, type};
  for (int block = 0; block < 2; ++block)
    for (int i = 0; i < count; ++i) sent[2 * LONGEST * block + step * i] = value_of(rank, block, i, count);
  memset(received, 0xff, 4 * LONGEST * sizeof(int));
  MPI_Neighbor_alltoallw(sent, counts, places, types, received, counts, places, types, ring);
  MPI_Type_free(&type);
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    wrong += received[step * i] != value_of(left, 1, i, count);
    wrong += received[2 * LONGEST + step * i] != value_of(right, 0, i, count);
    if (with_gaps) wrong += received[step * i + 1] != -1;
  }
  return wrong;
}

int main(int argc, char **argv) {
  void *const driver = dlopen(argc > 1 ? argv[1] : "libcuda.so.1", RTLD_NOW);
  void *symbols[4] = {NULL, NULL, NULL, NULL};
  long (*asked)(void) = NULL;
  void (*name)(const void *, size_t, enum stand_in_kind, int) = NULL;
  void (*forget)(void) = NULL;
  int (*begin)(unsigned) = NULL;
  if (!driver) return printf("%s\n", dlerror()), 1;
  symbols[0] = dlsym(driver, "stand_in_cuda_name"), symbols[1] = dlsym(driver, "stand_in_cuda_forget"),
  symbols[2] = dlsym(driver, "cuInit");
  symbols[3] = dlsym(driver, "stand_in_cuda_asked");
  memcpy(&name, &symbols[0], sizeof name), memcpy(&forget, &symbols[1], sizeof forget), memcpy(&begin, &symbols[2], sizeof begin);
  memcpy(&asked, &symbols[3], sizeof asked);
  begin(0);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int periodic = 1;
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  MPI_Comm_rank(ring, &rank);
  const size_t bytes = 4 * LONGEST * sizeof(int);
  int *const sent = malloc(bytes), *const received = malloc(bytes);
  int wrong = 0, all = 0;
  for (int kind = 0; kind < 3; ++kind) {
    if (kind != 1 || rank == 0) name(sent, bytes, STAND_IN_DEVICE, 0);
    if (kind != 2 || rank == 0) name(received, bytes, STAND_IN_DEVICE, 0);
    for (int with_gaps = 0; with_gaps < 2; ++with_gaps)
      for (int count = 1; count <= LONGEST; count = count * 34 + 7) wrong += exchange(ring, sent, received, count, with_gaps);
    forget();
  }
  if (asked() == 0) printf("rank %d: the driver has not been asked about any buffer\n", rank), ++wrong;
  free(sent), free(received);
  MPI_Comm_free(&ring);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong numbers on %d ranks\n", all, ranks);
  MPI_Finalize();
  return all != 0;
}
