// Atomics in a segment: all ranks count themselves at rank 0, and compare-and-swap elects the one that adds 100.
// Build: mpicxx 02_atomics.cpp $(pkg-config --cflags --libs halocline) -o 02_atomics
// Run:   mpiexec -n 4 ./02_atomics    prints: 02_atomics: 4 ranks, counter 104: ok
// SPDX-License-Identifier: BSD-3-Clause
#include "verdict.hpp"

static int atomics() {
  halocline::Context context(MPI_COMM_WORLD);
  const int rank = context.rank(), size = context.size();

  // Two numbers of rank 0, both 0 at first; the other ranks give no memory.
  halocline::Segment segment(context, rank == 0 ? 16 : 0);
  const halocline::At counter{0, 0}, leader{0, 8};

  // Each rank adds 1. The previous value of the counter is a number that no other rank gets.
  const auto ticket = segment.fetch_add<std::int64_t>(counter, 1);

  // The one rank that finds 0 is the leader: it has put its rank + 1 there in the same step. It adds 100.
  const auto former = segment.compare_swap<std::int64_t>(leader, 0, rank + 1);
  if (former == 0) segment.fetch_add<std::int64_t>(counter, 100);

  // An atomic is complete when it returns, so after the barrier all have counted. Adding 0 reads.
  segment.barrier();
  const auto count = segment.fetch_add<std::int64_t>(counter, 0);

  const bool right = count == size + 100 && ticket % 100 < size && former >= 0 && former <= size;
  return report("02_atomics", "counter", count, right);
}

int main() { return run(atomics); }
