// Three ranks or more, of which the second kills itself while the others wait for it in the call that the argument names, or write to it. None
// of them may wait until its time is over.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

extern "C" {
#include <armci.h>
}

#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

constexpr int kVictim = 1;

void sleep_ms(long ms) {
  const timespec time{ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, nullptr);
}

/// What waits for the victim. Those that access its memory do so again and again: on a node that needs no help of its owner.
void wait_for_it(const char *way, char *there) {
  std::vector<char> bytes(4096);
  long word = 0;
  int length = 0;
  const auto is = [&](const char *name) { return std::strcmp(way, name) == 0; };
  if (is("barrier")) ARMCI_Barrier();
  if (is("lock")) ARMCI_Lock(0, kVictim);
  if (is("message")) armci_msg_rcv(5, bytes.data(), 4096, &length, kVictim);
  if (is("sum")) {
    char add[] = "+";
    armci_msg_lgop(&word, 1, add);
  }
  if (is("malloc")) {
    std::vector<void *> bases(static_cast<std::size_t>(armci_msg_nproc()));
    ARMCI_Malloc(bases.data(), 64);
  }
  while (is("access")) {
    ARMCI_Put(bytes.data(), there, 4096, kVictim);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &word, there, 1, kVictim);
    ARMCI_Get(there, bytes.data(), 4096, kVictim);
    ARMCI_Fence(kVictim);
  }
}

}  // namespace

int main(int argc, char **argv) {
  const char *const way = argc > 1 ? argv[1] : "barrier";
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  const int rank = armci_msg_me();
  std::vector<void *> bases(static_cast<std::size_t>(armci_msg_nproc()));
  ARMCI_Malloc(bases.data(), 4096);
  ARMCI_Create_mutexes(1);
  if (rank == kVictim) ARMCI_Lock(0, kVictim);
  ARMCI_Barrier();
  if (rank == kVictim) {
    sleep_ms(300);
    std::raise(SIGKILL);
  }
  wait_for_it(way, static_cast<char *>(bases[kVictim]));
  std::printf("rank %d has not noticed in %s that rank %d has ended\n", rank, way, kVictim);
  std::fflush(stdout);
  sleep_ms(20000);
  return 0;
}
