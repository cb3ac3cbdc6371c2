// The profiling interface: a tool that defines ARMCI_Put counts the program's calls and forwards them to PARMCI_Put. The program does not
// start MPI: ARMCI does.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <armci.h>

#include <cstdio>
#include <vector>

namespace {
int calls = 0;
}

extern "C" int ARMCI_Put(void *src, void *dst, int bytes, int proc) {
  calls += 1;
  return PARMCI_Put(src, dst, bytes, proc);
}

int main(int argc, char **argv) {
  if (ARMCI_Init_args(&argc, &argv) != 0) return 1;
  const int rank = armci_msg_me(), ranks = armci_msg_nproc(), next = (rank + 1) % ranks;
  std::vector<void *> bases(static_cast<std::size_t>(ranks));
  PARMCI_Malloc(bases.data(), 8);
  long value = 100 + rank, got = 0;
  ARMCI_Put(&value, bases[static_cast<std::size_t>(next)], 8, next);
  PARMCI_Barrier();
  PARMCI_Get(bases[static_cast<std::size_t>(rank)], &got, 8, rank);
  PARMCI_Barrier();
  const bool right = calls == 1 && got == 100 + (rank + ranks - 1) % ranks;
  if (!right) std::printf("rank %d: the tool has counted %d calls, and %ld has arrived\n", rank, calls, got);
  PARMCI_Free(bases[static_cast<std::size_t>(rank)]);
  return PARMCI_Finalize() == 0 && right ? 0 : 1;
}
