/* Global Arrays on MPI RMA (through ARMCI-MPI): put, get, accumulate, read_inc, gather, scatter, strided put, ghosts, locks and a matrix product, each with a
   known result on any number of processes.
   SPDX-License-Identifier: BSD-3-Clause */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSide = 60 };
static int me, processes, wrong;

static void check(int right, const char *what) {
  if (right) return;
  ++wrong;
  fprintf(stderr, "process %d: wrong: %s\n", me, what);
}

static double cell(int i, int j) { return i * 1000.0 + j; }

static int make(char *name, int type) {
  int dims[2] = {kSide, kSide};
  int array = NGA_Create(type, 2, dims, name, NULL);
  GA_Zero(array);
  return array;
}

/* Each process puts rows of its own, anywhere; all read all of it. */
static void puts_and_gets(void) {
  int array = make("rows", C_DBL);
  for (int i = me; i < kSide; i += processes) {
    double row[kSide];
    int low[2] = {i, 0}, high[2] = {i, kSide - 1}, stride[1] = {kSide};
    for (int j = 0; j < kSide; ++j) row[j] = cell(i, j);
    NGA_Put(array, low, high, row, stride);
  }
  GA_Sync();
  static double all[kSide][kSide];
  int low[2] = {0, 0}, high[2] = {kSide - 1, kSide - 1}, stride[1] = {kSide}, right = 1;
  NGA_Get(array, low, high, all, stride);
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) right = right && all[i][j] == cell(i, j);
  check(right, "rows put by all processes");
  double part[7][5];
  int from[2] = {20, 33}, to[2] = {26, 37}, narrow[1] = {5};
  NGA_Get(array, from, to, part, narrow);
  check(part[6][4] == cell(26, 37) && part[0][3] == cell(20, 36), "a patch across processes");
  GA_Destroy(array);
}

static void accumulates(void) {
  int array = make("sums", C_DBL), low[2] = {5, 5}, high[2] = {54, 54}, stride[1] = {50};
  static double ones[50][50], sums[50][50];
  double scale = 2.0;
  int right = 1;
  for (int i = 0; i < 50; ++i)
    for (int j = 0; j < 50; ++j) ones[i][j] = 1 + j;
  for (int turn = 0; turn < 5; ++turn) NGA_Acc(array, low, high, ones, stride, &scale);
  GA_Sync();
  NGA_Get(array, low, high, sums, stride);
  for (int i = 0; i < 50; ++i)
    for (int j = 0; j < 50; ++j) right = right && sums[i][j] == 10.0 * processes * (1 + j);
  check(right, "a patch to which all processes have added");
  GA_Destroy(array);
}

static void counters(void) {
  int dims[1] = {4}, at[1] = {2};
  int array = NGA_Create(C_LONG, 1, dims, "counters", NULL);
  GA_Zero(array);
  long last = -1, sum = 0;
  for (int i = 0; i < 200; ++i) {
    const long ticket = NGA_Read_inc(array, at, 1);
    check(ticket > last, "a ticket that is not above my last one");
    last = ticket;
    sum += ticket;
  }
  GA_Lgop(&sum, 1, "+");
  const long tickets = 200L * processes;
  check(sum == tickets * (tickets - 1) / 2, "the sum of all tickets");
  GA_Destroy(array);
}

static void scatters(void) {
  int array = make("scattered", C_DBL), count = 0;
  double values[kSide];
  int places[kSide][2];
  int *list[kSide];
  for (int i = me; i < kSide; i += processes) {
    values[count] = cell(i, (i * 7) % kSide);
    places[count][0] = i;
    places[count][1] = (i * 7) % kSide;
    list[count] = places[count];
    ++count;
  }
  NGA_Scatter(array, values, list, count);
  GA_Sync();
  double got[kSide];
  int right = 1;
  for (int i = 0; i < kSide; ++i) {
    places[i][0] = i;
    places[i][1] = (i * 7) % kSide;
    list[i] = places[i];
  }
  NGA_Gather(array, got, list, kSide);
  for (int i = 0; i < kSide; ++i) right = right && got[i] == cell(i, (i * 7) % kSide);
  check(right, "scattered cells, gathered");
  GA_Destroy(array);
}

static void products(void) {
  int a = make("a", C_DBL), b = make("b", C_DBL), c = make("c", C_DBL), low[2], high[2];
  NGA_Distribution(a, me, low, high);
  for (int i = low[0]; i <= high[0] && low[0] >= 0; ++i)
    for (int j = low[1]; j <= high[1]; ++j) {
      int at[2] = {i, j}, stride[1] = {1};
      double in_a = i + j, in_b = i == j ? 2.0 : 0.0;
      NGA_Put(a, at, at, &in_a, stride);
      NGA_Put(b, at, at, &in_b, stride);
    }
  GA_Sync();
  GA_Dgemm('n', 'n', kSide, kSide, kSide, 1.0, a, b, 0.0, c);
  double value = 0;
  int at[2] = {41, 17}, stride[1] = {1};
  NGA_Get(c, at, at, &value, stride);
  check(value == 2.0 * (41 + 17), "a cell of a matrix product");
  check(GA_Ddot(b, b) == 4.0 * kSide, "a dot product");
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(c);
}

static void ghosts(void) {
  int dims[2] = {kSide, kSide}, width[2] = {1, 1}, chunk[2] = {-1, -1}, low[2], high[2], ghost_dims[2], stride[1];
  int array = NGA_Create_ghosts(C_DBL, 2, dims, width, "ghosts", chunk);
  double *mine = NULL, number = me + 1;
  GA_Fill(array, &number);
  GA_Update_ghosts(array);
  NGA_Distribution(array, me, low, high);
  if (low[0] >= 0) {
    NGA_Access_ghosts(array, ghost_dims, &mine, stride);
    int above[2] = {(low[0] + kSide - 1) % kSide, low[1]};
    const int owner = NGA_Locate(array, above);
    const double value = mine[1];
    NGA_Release_ghosts(array);
    check(value == owner + 1, "a ghost cell");
  }
  GA_Sync();
  GA_Destroy(array);
}

static void locks(void) {
  int dims[1] = {1}, at[1] = {0}, stride[1] = {1};
  int array = NGA_Create(C_LONG, 1, dims, "guarded", NULL);
  GA_Zero(array);
  GA_Create_mutexes(1);
  for (int i = 0; i < 40; ++i) {
    long value = 0;
    GA_Lock(0);
    NGA_Get(array, at, at, &value, stride);
    ++value;
    NGA_Put(array, at, at, &value, stride);
    GA_Init_fence();
    GA_Fence();
    GA_Unlock(0);
  }
  GA_Sync();
  long value = 0;
  NGA_Get(array, at, at, &value, stride);
  check(value == 40L * processes, "a sum under a mutex");
  GA_Destroy_mutexes();
  GA_Destroy(array);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  MA_init(C_DBL, 1000000, 1000000);
  me = GA_Nodeid();
  processes = GA_Nnodes();
  puts_and_gets();
  accumulates();
  counters();
  scatters();
  products();
  ghosts();
  locks();
  GA_Igop(&wrong, 1, "+");
  if (me == 0 && wrong == 0) printf("global arrays: all right on %d processes\n", processes);
  GA_Terminate();
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
