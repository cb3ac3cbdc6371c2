/* Receives from MPI_ANY_SOURCE: every rank but 0 sends numbered messages, rank 0 receives them in any order. With `probe` it looks for each
   message before it receives it. MPICH 5.0.2 loses receives where ranks of rank 0's host and of another one send.
   SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRounds = 200, kTag = 7 };

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, done = 0;
  const int probes = argc > 1 && strcmp(argv[1], "probe") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int round = 0; round < kRounds; ++round) {
    if (rank != 0) {
      int message[2] = {rank, round};
      MPI_Request request;
      MPI_Isend(message, 2, MPI_INT, 0, kTag, MPI_COMM_WORLD, &request);
      double begin = MPI_Wtime();
      for (done = 0; !done;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (MPI_Wtime() - begin > 20) break;
      }
    } else {
      for (int i = 1; i < ranks; ++i) {
        int message[2] = {-1, -1}, source = MPI_ANY_SOURCE;
        MPI_Status status;
        MPI_Request request;
        double begin = MPI_Wtime();
        if (probes)
          for (done = 0; !done;) {
            MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &done, &status);
            source = status.MPI_SOURCE;
          }
        MPI_Irecv(message, 2, MPI_INT, source, kTag, MPI_COMM_WORLD, &request);
        for (done = 0; !done;) {
          MPI_Test(&request, &done, &status);
          if (MPI_Wtime() - begin > 10) {
            printf("lost: round %d: %d of %d messages are received, and the next does not come for 10 s\n", round, i - 1, ranks - 1);
            fflush(stdout);
            MPI_Abort(MPI_COMM_WORLD, 1);
            _Exit(1);
          }
        }
        if (message[0] != status.MPI_SOURCE || message[1] != round) {
          printf("wrong: round %d: message %d of rank %d says rank %d, round %d\n", round, i, status.MPI_SOURCE, message[0], message[1]);
          fflush(stdout);
          MPI_Abort(MPI_COMM_WORLD, 1);
          _Exit(1);
        }
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("all %d messages are received\n", kRounds * (ranks - 1));
  MPI_Finalize();
  return 0;
}
