// An exchange with any list of neighbours: ranks of unlike parity send each other messages of unlike length.
// Build: mpicxx 06_exchange.cpp $(pkg-config --cflags --libs halocline) -o 06_exchange
// Run:   mpiexec -n 4 ./06_exchange    prints: 06_exchange: 4 ranks, rank 0 received 1407: ok
// SPDX-License-Identifier: BSD-3-Clause
#include "verdict.hpp"

/// Number k of those that a rank sends to each neighbour: from + 1 of them.
static double number(int from, int k) { return 100 * from + k; }

static int exchange() {
  halocline::Context context(MPI_COMM_WORLD);
  const int rank = context.rank(), size = context.size();
  std::vector<halocline::Neighbour> neighbours;
  for (int r = 0; r < size; ++r)
    if ((r + rank) % 2 == 1) neighbours.push_back({r, 0, 0, (rank + 1) * 8, (r + 1) * 8});

  // start calls this for each neighbour: it fills the data to be sent.
  const auto pack = [&](int /* all get the same */, void *buffer) {
    auto *out = static_cast<double *>(buffer);
    for (int k = 0; k <= rank; ++k) out[k] = number(rank, k);
  };
  // finish calls this for each neighbour, in order of arrival: it takes the received data.
  double sum = 0;
  bool right = true;
  const auto unpack = [&](int neighbour, const void *buffer) {
    const auto *in = static_cast<const double *>(buffer);
    const int from = neighbours[neighbour].rank;
    for (int k = 0; k <= from; ++k) {
      sum += in[k];
      right = right && in[k] == number(from, k);
    }
  };
  halocline::Exchange plan(context, neighbours, pack, unpack);
  plan.start();
  plan.finish();

  return report("06_exchange", "rank 0 received", static_cast<std::int64_t>(sum), right);
}

int main() { return run(exchange); }
