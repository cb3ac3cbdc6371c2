// One put: each rank writes its number into the segment of the rank to its right, and a barrier says that all have arrived.
// Build: mpicxx 00_hello_put.cpp $(pkg-config --cflags --libs halocline) -o 00_hello_put
// Run:   mpiexec -n 4 ./00_hello_put    prints: 00_hello_put: 4 ranks, rank 0 got 3: ok
// SPDX-License-Identifier: BSD-3-Clause
#include "verdict.hpp"

static int hello_put() {
  halocline::Context context(MPI_COMM_WORLD);
  const int rank = context.rank(), size = context.size();
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;

  // A segment is memory of each rank that every rank may write to. Here each gives eight bytes.
  halocline::Segment segment(context, sizeof(std::int64_t));
  const auto *mine = segment.data<std::int64_t>();

  // After the flush my number is in the right rank's part. After the barrier the left rank's number is in mine.
  const std::int64_t number = rank;
  segment.put({right, 0}, &number, 1);
  segment.flush(right);
  segment.barrier();

  return report("00_hello_put", "rank 0 got", *mine, *mine == left);
}

int main() { return run(hello_put); }
