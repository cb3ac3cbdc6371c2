/* Global Arrays: patches, their non-blocking and periodic forms, ghost cells of two and three dimensions with corners, gather, scatter
   and scatter_acc, groups, solvers. Each has a known result on any number of processes.
   SPDX-License-Identifier: BSD-3-Clause */
#include <ga.h>
#include <macdecls.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSide = 36, kCube = 21 };
static int me, processes, wrong;

static void check(int right, const char *what) {
  if (right) return;
  ++wrong;
  fprintf(stderr, "process %d: wrong: %s\n", me, what);
}

static double cell(int i, int j) { return i * 1000.0 + j + 0.5; }

static int make(char *name, int type) {
  int dims[2] = {kSide, kSide}, array = NGA_Create(type, 2, dims, name, NULL);
  GA_Zero(array);
  return array;
}

/* Process 0 puts all. */
static void fill(int array) {
  static double all[kSide][kSide];
  int low[2] = {0, 0}, high[2] = {kSide - 1, kSide - 1}, stride[1] = {kSide};
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) all[i][j] = cell(i, j);
  if (me == 0) NGA_Put(array, low, high, all, stride);
  GA_Sync();
}

static void nonblocking(void) {
  int array = make("nonblocking", C_DBL), stride[1] = {kSide};
  static double rows[kSide][kSide];
  ga_nbhdl_t handles[kSide];
  for (int i = me; i < kSide; i += processes) {
    int low[2] = {i, 0}, high[2] = {i, kSide - 1};
    for (int j = 0; j < kSide; ++j) rows[i][j] = cell(i, j);
    NGA_NbPut(array, low, high, rows[i], stride, &handles[i]);
  }
  for (int i = me; i < kSide; i += processes) NGA_NbWait(&handles[i]);
  GA_Sync();
  double one = 1.0;
  for (int i = 0; i < kSide; ++i) {
    int low[2] = {i, 3}, high[2] = {i, 3};
    NGA_NbAcc(array, low, high, &one, stride, &one, &handles[i]);
  }
  for (int i = 0; i < kSide; ++i) NGA_NbWait(&handles[i]);
  GA_Sync();
  static double got[kSide][kSide];
  int right = 1;
  for (int i = 0; i < kSide; ++i) {
    int low[2] = {i, 0}, high[2] = {i, kSide - 1};
    NGA_NbGet(array, low, high, got[i], stride, &handles[i]);
  }
  for (int i = 0; i < kSide; ++i) NGA_NbWait(&handles[i]);
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) right = right && got[i][j] == cell(i, j) + (j == 3 ? processes : 0);
  check(right, "rows by non-blocking calls");
  GA_Destroy(array);
}

static void periodic_and_copied(void) {
  int array = make("periodic", C_DBL), right;
  fill(array);
  /* Two rows beyond each end. */
  int before[2] = {-2, -1}, behind[2] = {kSide + 1, kSide}, wide[1] = {kSide + 2};
  static double around[kSide + 4][kSide + 2];
  NGA_Periodic_get(array, before, behind, around, wide);
  right = 1;
  for (int i = 0; i < kSide + 4; ++i)
    for (int j = 0; j < kSide + 2; ++j) right = right && around[i][j] == cell((i - 2 + kSide) % kSide, (j - 1 + kSide) % kSide);
  check(right, "a periodic patch");
  GA_Sync();
  int copy = make("copy", C_DBL), from_low[2] = {3, 4}, from_high[2] = {20, 30}, to_low[2] = {10, 1}, to_high[2] = {27, 27};
  NGA_Copy_patch('n', array, from_low, from_high, copy, to_low, to_high);
  GA_Sync();
  double value = 0;
  int at[2] = {27, 27}, one[1] = {1};
  NGA_Get(copy, at, at, &value, one);
  check(value == cell(20, 30), "the corner of a copied patch");
  int turned = make("turned", C_DBL);
  GA_Transpose(array, turned);
  int there[2] = {5, 33};
  NGA_Get(turned, there, there, &value, one);
  check(value == cell(33, 5), "a cell of a transposed array");
  GA_Destroy(turned);
  GA_Destroy(copy);
  GA_Destroy(array);
}

/* All elements of all kinds, added by all. */
static void accumulates(void) {
  int integers = make("integers", C_INT), longs = make("longs", C_LONG), floats = make("floats", C_FLOAT),
      complexes = make("complexes", C_DCPL);
  int low[2] = {2, 5}, high[2] = {30, 20}, stride[1] = {16}, right = 1;
  static int i_ones[29][16];
  static long l_ones[29][16];
  static float f_ones[29][16];
  static double z_ones[29][16][2];
  for (int i = 0; i < 29; ++i)
    for (int j = 0; j < 16; ++j) {
      i_ones[i][j] = i + j;
      l_ones[i][j] = i - j;
      f_ones[i][j] = (float)(i * j % 50);
      z_ones[i][j][0] = i;
      z_ones[i][j][1] = j;
    }
  int i_scale = 2;
  long l_scale = -3;
  float f_scale = 0.5f;
  double z_scale[2] = {1.0, 2.0};
  for (int turn = 0; turn < 3; ++turn) {
    NGA_Acc(integers, low, high, i_ones, stride, &i_scale);
    NGA_Acc(longs, low, high, l_ones, stride, &l_scale);
    NGA_Acc(floats, low, high, f_ones, stride, &f_scale);
    NGA_Acc(complexes, low, high, z_ones, stride, z_scale);
  }
  GA_Sync();
  static int i_got[29][16];
  static long l_got[29][16];
  static float f_got[29][16];
  static double z_got[29][16][2];
  NGA_Get(integers, low, high, i_got, stride);
  NGA_Get(longs, low, high, l_got, stride);
  NGA_Get(floats, low, high, f_got, stride);
  NGA_Get(complexes, low, high, z_got, stride);
  const int times = 3 * processes;
  for (int i = 0; i < 29; ++i)
    for (int j = 0; j < 16; ++j)
      right = right && i_got[i][j] == 2 * times * (i + j) && l_got[i][j] == -3L * times * (i - j) &&
              f_got[i][j] == 0.5f * (float)times * (float)(i * j % 50) && z_got[i][j][0] == times * (i - 2.0 * j) &&
              z_got[i][j][1] == times * (j + 2.0 * i);
  check(right, "patches of four types to which all processes have added");
  GA_Destroy(complexes);
  GA_Destroy(floats);
  GA_Destroy(longs);
  GA_Destroy(integers);
}

static void scatters(void) {
  int array = make("scattered", C_DBL), places[kSide][2], *list[kSide], right = 1;
  double values[kSide], got[kSide], two = 2.0;
  for (int i = 0; i < kSide; ++i) {
    places[i][0] = i;
    places[i][1] = i * 5 % kSide;
    list[i] = places[i];
    values[i] = cell(i, 1);
  }
  for (int turn = 0; turn < 2; ++turn) NGA_Scatter_acc(array, values, list, kSide, &two);
  GA_Sync();
  NGA_Gather(array, got, list, kSide);
  for (int i = 0; i < kSide; ++i) right = right && got[i] == 4.0 * processes * cell(i, 1);
  check(right, "scattered cells to which all processes have added");
  GA_Sync();
  if (me == processes - 1) NGA_Scatter(array, values, list, kSide);
  GA_Sync();
  NGA_Gather(array, got, list, kSide);
  right = 1;
  for (int i = 0; i < kSide; ++i) right = right && got[i] == cell(i, 1);
  check(right, "scattered cells");
  GA_Destroy(array);
}

static double cube(int i, int j, int k) { return 10000.0 * i + 100.0 * j + k + 1; }

/* Each cell of my part and its ghosts, periodic, corners included. Each process needs as many cells as ghosts: 3 of 21 on 7. */
static void ghosts(void) {
  int dims[3] = {kCube, kCube, kCube}, width[3] = {2, 1, 2}, chunk[3] = {-1, -1, -1}, low[3], high[3], wide[3], stride[2];
  int array = NGA_Create_ghosts(C_DBL, 3, dims, width, "cells", chunk);
  GA_Set_ghost_corner_flag(array, 1);
  double *cells = NULL;
  NGA_Distribution(array, me, low, high);
  const int have = low[0] >= 0 && high[0] >= low[0];
  for (int turn = 1; turn <= 3; ++turn) {
    if (have) {
      NGA_Access_ghosts(array, wide, &cells, stride);
      for (int i = 0; i < wide[0]; ++i)
        for (int j = 0; j < wide[1]; ++j)
          for (int k = 0; k < wide[2]; ++k) {
            const int inside = i >= 2 && i < wide[0] - 2 && j >= 1 && j < wide[1] - 1 && k >= 2 && k < wide[2] - 2;
            cells[(i * stride[0] + j) * stride[1] + k] = inside ? turn * cube(low[0] + i - 2, low[1] + j - 1, low[2] + k - 2) : -1.0;
          }
      NGA_Release_update_ghosts(array);
    }
    GA_Sync();
    GA_Update_ghosts(array);
    int right = 1;
    if (have) {
      NGA_Access_ghosts(array, wide, &cells, stride);
      for (int i = 0; i < wide[0]; ++i)
        for (int j = 0; j < wide[1]; ++j)
          for (int k = 0; k < wide[2]; ++k) {
            const int x = (low[0] + i - 2 + kCube) % kCube, y = (low[1] + j - 1 + kCube) % kCube, z = (low[2] + k - 2 + kCube) % kCube;
            right = right && cells[(i * stride[0] + j) * stride[1] + k] == turn * cube(x, y, z);
          }
      NGA_Release_ghosts(array);
    }
    check(right, "the ghosts of three dimensions");
    GA_Sync();
  }
  GA_Destroy(array);
}

static void groups(void) {
  int half = (processes + 1) / 2, *list = malloc((size_t)half * sizeof(int));
  for (int i = 0; i < half; ++i) list[i] = i;
  int group = GA_Pgroup_create(list, half);
  if (me < half) {
    int dims[1] = {100}, array = GA_Create_handle(), low[1] = {0}, high[1] = {99}, stride[1] = {1};
    GA_Set_data(array, 1, dims, C_LONG);
    GA_Set_pgroup(array, group);
    check(GA_Allocate(array), "an array of a group");
    static long ones[100], got[100];
    for (int i = 0; i < 100; ++i) ones[i] = i;
    long one = 1;
    GA_Zero(array);
    NGA_Acc(array, low, high, ones, stride, &one);
    GA_Pgroup_sync(group);
    NGA_Get(array, low, high, got, stride);
    int right = 1;
    for (int i = 0; i < 100; ++i) right = right && got[i] == (long)half * i;
    check(right, "an array of a group to which its members have added");
    long sum = 1;
    GA_Pgroup_lgop(group, &sum, 1, "+");
    check(sum == half, "the sum of a group");
    GA_Destroy(array);
  }
  GA_Sync();
  GA_Pgroup_destroy(group);
  free(list);
}

/* A symmetric matrix with known eigenvalues: those of the second difference. */
static void solvers(void) {
  enum { kOrder = 10 };
  int dims[2] = {kOrder, kOrder}, a = NGA_Create(C_DBL, 2, dims, "a", NULL), v = NGA_Create(C_DBL, 2, dims, "v", NULL);
  double values[kOrder];
  GA_Zero(a);
  if (me == 0)
    for (int i = 0; i < kOrder; ++i)
      for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < kOrder; ++j) {
        int at[2] = {i, j}, stride[1] = {1};
        double entry = i == j ? 2.0 : -1.0;
        NGA_Put(a, at, at, &entry, stride);
      }
  GA_Sync();
  GA_Diag_std_seq(a, v, values);
  int right = 1;
  for (int k = 0; k < kOrder; ++k) right = right && fabs(values[k] - (2.0 - 2.0 * cos(acos(-1.0) * (k + 1) / (kOrder + 1)))) < 1e-12;
  check(right, "the eigenvalues of a matrix");
  int b_dims[2] = {1, kOrder}, b = NGA_Create(C_DBL, 2, b_dims, "b", NULL);
  double one = 1.0;
  GA_Fill(b, &one);
  GA_Lu_solve('n', a, b);
  double solution[kOrder];
  int low[2] = {0, 0}, high[2] = {0, kOrder - 1}, stride[1] = {kOrder};
  NGA_Get(b, low, high, solution, stride);
  right = 1;
  for (int i = 0; i < kOrder; ++i) right = right && fabs(solution[i] - 0.5 * (i + 1) * (kOrder - i)) < 1e-10;
  check(right, "the solution of a linear system");
  GA_Destroy(b);
  GA_Destroy(v);
  GA_Destroy(a);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  MA_init(C_DBL, 1000000, 1000000);
  me = GA_Nodeid();
  processes = GA_Nnodes();
  nonblocking();
  periodic_and_copied();
  accumulates();
  scatters();
  ghosts();
  groups();
  solvers();
  GA_Igop(&wrong, 1, "+");
  if (me == 0 && wrong == 0) printf("patches: all right on %d processes\n", processes);
  GA_Terminate();
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
