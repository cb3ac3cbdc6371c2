/* An exchange with any list of neighbours: ranks of unlike parity send each other messages of unlike length.
 * Build: mpicc 06_exchange.c $(pkg-config --cflags --libs halocline) -o 06_exchange
 * Run:   mpiexec -n 4 ./06_exchange    prints: 06_exchange: 4 ranks, rank 0 received 1407: ok
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

typedef struct Rank {
  int rank;
  hlc_neighbour *neighbours;
  double sum; /* of the received data */
  int right;
} Rank;

/* Number k of those that a rank sends to each neighbour: from + 1 of them. */
static double number(int from, int k) { return 100 * from + k; }

/* start calls this for each neighbour: it fills the data to be sent. */
static void pack(int neighbour, void *buffer, void *user) {
  const Rank *mine = user;
  double *out = buffer;
  for (int k = 0; k < mine->neighbours[neighbour].bytes_out / 8; ++k) out[k] = number(mine->rank, k);
}

/* finish calls this for each neighbour, in order of arrival: it takes the received data. */
static void unpack(int neighbour, const void *buffer, void *user) {
  Rank *mine = user;
  const double *in = buffer;
  const int from = mine->neighbours[neighbour].rank;
  for (int k = 0; k <= from; ++k) {
    mine->sum += in[k];
    mine->right = mine->right && in[k] == number(from, k);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t info;
  CHECK(hlc_context_info(context, &info));
  Rank mine = {.rank = info.rank, .neighbours = malloc((size_t)info.size * sizeof(hlc_neighbour)), .right = 1};
  int count = 0;
  for (int r = 0; r < info.size; ++r)
    if ((r + info.rank) % 2 == 1)
      mine.neighbours[count++] = (hlc_neighbour){.rank = r, .bytes_out = (info.rank + 1) * 8, .bytes_in = (r + 1) * 8};

  const hlc_exchange_spec spec = {.nneighbours = count, .neighbours = mine.neighbours, .pack = pack, .unpack = unpack, .user = &mine};
  hlc_exchange *exchange;
  CHECK(hlc_exchange_create(context, &spec, &exchange));
  CHECK(hlc_exchange_start(exchange));
  CHECK(hlc_exchange_finish(exchange));

  const int status = report("06_exchange", "rank 0 received", (int64_t)mine.sum, mine.right);
  CHECK(hlc_exchange_destroy(&exchange));
  free(mine.neighbours);
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return status;
}
