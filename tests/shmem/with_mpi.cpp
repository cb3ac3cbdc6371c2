// OpenSHMEM and MPI in one program, whose calls begin and end in the order that the argument names: i and f are MPI_Init and MPI_Finalize, I and F
// shmem_init and shmem_finalize. Without F the end of the program finalises.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#define SHMEM_NO_OVERLOADS
#include <shmem.h>

namespace {

std::uint64_t variable[3] = {11, 0, 0};
bool shmem = false, mpi = false;

void require(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::abort();
}

/// Uses what is open.
void use() {
  if (mpi) {
    int size = 0, sum = 0;
    const int one = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    require(sum == size, "a sum by MPI");
  }
  if (!shmem) return;
  const int me = shmem_my_pe(), pes = shmem_n_pes(), to = (me + 1) % pes, from = (me + pes - 1) % pes;
  auto *block = static_cast<std::uint64_t *>(shmem_calloc(2, 8));
  shmem_uint64_p(block, static_cast<std::uint64_t>(me) + 100, to);
  shmem_fence();
  shmem_uint64_put_signal(variable + 1, &variable[0], 1, block + 1, 1, SHMEM_SIGNAL_SET, to);
  shmem_quiet();
  while (shmem_signal_fetch(block + 1) == 0) continue;
  require(variable[1] == 11, "a static variable");
  shmem_uint64_get(&variable[2], block, 1, me);
  shmem_free(block);
  require(variable[2] == static_cast<std::uint64_t>(from) + 100, "a word in the heap");
}

}  // namespace

int main(int, char **arguments) {
  for (const char step : std::string(arguments[1])) {
    int provided = 0;
    switch (step) {
      case 'i': MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), mpi = true; break;
      case 'f': mpi = false, MPI_Finalize(); break;
      case 'I': shmem_init(), shmem = true; break;
      case 'F': shmem = false, shmem_finalize(); break;
    }
    use();
  }
  require(variable[0] == 11, "a static variable at the end");
  return 0;
}
