// What tests/verbs/permission launches where Yama restricts tracing: a window of the program's own memory, which the ranks read and write, is made and
// freed. Afterwards a long message arrives as it was sent: the host MPI may still copy by the kernel.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdio>
#include <numeric>
#include <vector>

namespace {

int rank = 0, failures = 0;

void expect(bool right, const char *what) {
  if (right) return;
  std::printf("rank %d: %s\n", rank, what);
  failures += 1;
}

void use_a_window(int other) {
  std::vector<int> memory(1000, -1);
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, other, rank, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  expect(memory[static_cast<std::size_t>(other)] == other, "what the other rank has put is not there");
  int got = -1;
  MPI_Win_fence(0, window);
  MPI_Get(&got, 1, MPI_INT, other, rank, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  expect(got == rank, "what was put cannot be got");
  MPI_Win_free(&window);
}

void send_a_long_message(int other) {
  constexpr int kNumbers = 1 << 18;
  std::vector<int> sent(kNumbers), received(kNumbers, -1);
  std::iota(sent.begin(), sent.end(), rank * kNumbers);
  MPI_Sendrecv(sent.data(), kNumbers, MPI_INT, other, 0, received.data(), kNumbers, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::iota(sent.begin(), sent.end(), other * kNumbers);
  expect(received == sent, "a message of 1 MiB after the window is wrong");
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = 1 - rank;
  send_a_long_message(other);
  for (int round = 0; round < 2; ++round) {
    use_a_window(other);
    send_a_long_message(other);
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d passed, %d failed, 0 skipped\n", all == 0 ? 1 : 0, all == 0 ? 0 : 1);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
