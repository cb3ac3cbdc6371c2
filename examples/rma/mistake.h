/*
 * What the programs of this folder share. Each rank has 8 numbers in a window, and the command line chooses the right or the wrong version.
 * Each program has its two versions, some ten lines each: docs/rma/mistakes.md.
 *
 *     mpicc -g lost_update.c -o lost_update
 *     HALOCLINE_CHECK=1 halocline-run --mpi -n 2 ./lost_update wrong     (the finding)
 *     HALOCLINE_CHECK=1 halocline-run --mpi -n 2 ./lost_update right     (no finding; without argument: right, then wrong)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MISTAKE_H
#define MISTAKE_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 8 };

static int rank, ranks;
static MPI_Win window;
static int64_t *numbers; /* this rank's part of the window */

/** The two versions; right() returns whether its result is right on this rank. */
static int right(void);
static void wrong(void);

static void open_window(void) {
  MPI_Win_allocate(NUMBERS * sizeof *numbers, sizeof *numbers, MPI_INFO_NULL, MPI_COMM_WORLD, &numbers, &window);
  memset(numbers, 0, NUMBERS * sizeof *numbers);
  MPI_Barrier(MPI_COMM_WORLD);
}

/** Prints what right() answers. What check mode finds in it ends the program before. */
static int run_right(void) {
  int all = 0;
  open_window();
  int mine = right();
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Win_free(&window);
  if (rank == 0) puts(all ? "right: nothing was found, and the result is right" : "error: the result of right() is wrong");
  fflush(stdout);
  return all;
}

static void run_wrong(void) {
  open_window();
  wrong();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *which = argc > 1 ? argv[1] : "";
  const int good = strcmp(which, "wrong") == 0 || run_right();
  if (good && strcmp(which, "right") != 0) run_wrong();
  MPI_Finalize();
  return good ? 0 : 1;
}

#endif
