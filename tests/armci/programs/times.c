/* How long calls of Global Arrays take, between the first process and the last: patches, read_inc, and the update of ghosts by all.
   SPDX-License-Identifier: BSD-3-Clause */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, processes;
static int array, low[2], high[2];
static double *buffer, one = 1.0;

/* Columns in the middle of the last process's part: runs that do not join. */
static void put(void) {
  int stride[1] = {high[1] - low[1] + 1};
  NGA_Put(array, low, high, buffer, stride);
}
static void get(void) {
  int stride[1] = {high[1] - low[1] + 1};
  NGA_Get(array, low, high, buffer, stride);
}
static void accumulate(void) {
  int stride[1] = {high[1] - low[1] + 1};
  NGA_Acc(array, low, high, buffer, stride, &one);
}
static int counters;
static void read_inc(void) {
  int at[1] = {processes - 1};
  (void)NGA_Read_inc(counters, at, 1);
}
static int haloed;
static void update(void) { GA_Update_ghosts(haloed); }

/* The median of samples that take two milliseconds or more each, on the slowest process. */
static int by_size(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : 1; }
static void report(const char *what, void (*call)(void), int by_all) {
  enum { kSamples = 15 };
  double samples[kSamples];
  int count = 1;
  for (int sample = -1; sample < kSamples;) {
    GA_Sync();
    const double begin = MPI_Wtime();
    if (by_all || me == 0)
      for (int i = 0; i < count; ++i) call();
    double us = (MPI_Wtime() - begin) * 1e6;
    GA_Dgop(&us, 1, "max");
    if (sample < 0 && us < 2000 && count < 100000)
      count *= 2;
    else if (++sample > 0)
      samples[sample - 1] = us / count;
    if (sample == kSamples) break;
  }
  qsort(samples, kSamples, sizeof samples[0], by_size);
  if (me == 0) printf("time: %s: %.3f us\n", what, samples[kSamples / 2]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  MA_init(C_DBL, 4000000, 4000000);
  me = GA_Nodeid();
  processes = GA_Nnodes();
  int dims[2] = {256 * processes, 256}, chunk[2] = {256, 256};
  array = NGA_Create(C_DBL, 2, dims, "patches", chunk);
  GA_Zero(array);
  buffer = calloc(256 * 256, sizeof *buffer);
  for (int side = 8; side <= 128; side *= 4) {
    NGA_Distribution(array, processes - 1, low, high);
    low[0] += 16;
    low[1] += 16;
    high[0] = low[0] + side - 1;
    high[1] = low[1] + side - 1;
    char what[64];
    snprintf(what, sizeof what, "put of %d x %d", side, side);
    report(what, put, 0);
    snprintf(what, sizeof what, "get of %d x %d", side, side);
    report(what, get, 0);
    snprintf(what, sizeof what, "acc of %d x %d", side, side);
    report(what, accumulate, 0);
  }
  int count[1] = {processes}, piece[1] = {1};
  counters = NGA_Create(C_LONG, 1, count, "counters", piece);
  GA_Zero(counters);
  report("read_inc", read_inc, 0);
  int width[2] = {1, 1}, any[2] = {-1, -1};
  for (int side = 32; side <= 512; side *= 4) {
    int local[2] = {side * processes, side};
    haloed = NGA_Create_ghosts(C_DBL, 2, local, width, "haloed", any);
    GA_Fill(haloed, &one);
    char what[64];
    snprintf(what, sizeof what, "update of ghosts, %d x %d cells each", side, side);
    report(what, update, 1);
    GA_Destroy(haloed);
  }
  if (me == 0) printf("times: all right on %d processes\n", processes);
  free(buffer);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
