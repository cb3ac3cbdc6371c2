// A put with a notification: a token goes round the ring of ranks, and each adds its number. There is no barrier.
// Build: mpicxx 01_notify.cpp $(pkg-config --cflags --libs halocline) -o 01_notify
// Run:   mpiexec -n 4 ./01_notify    prints: 01_notify: 4 ranks, sum 6: ok
// SPDX-License-Identifier: BSD-3-Clause
#include "verdict.hpp"

/// Waits for notification 0, takes it, and returns the token that it announces.
static std::int64_t receive(const halocline::Segment &segment) {
  segment.reset(segment.wait({0, 1}));
  return *segment.data<std::int64_t>();
}

static int notify() {
  halocline::Context context(MPI_COMM_WORLD);
  const int rank = context.rank(), size = context.size(), right = (rank + 1) % size;
  halocline::Segment segment(context, sizeof(std::int64_t), 1);

  // Rank 0 sends the token, all others receive it first. The notification never precedes its own data.
  std::int64_t got = rank == 0 ? 0 : receive(segment);
  const std::int64_t token = got + rank;
  segment.put_notify({right, 0}, &token, 1, {0, 1});
  if (rank == 0) got = receive(segment);
  segment.flush(right);  // from here on token may be changed

  // The token is the sum of all ranks before mine; on rank 0, where it returns, that of all ranks.
  const int before = rank == 0 ? size : rank;
  return report("01_notify", "sum", got, got == before * (before - 1) / 2);
}

int main() { return run(notify); }
