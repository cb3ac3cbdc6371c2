// Three PEs or more, of which the second kills itself while the others wait for it in the call that the argument names, or access its memory.
// None of them may wait until its time is over.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#define SHMEM_NO_OVERLOADS
#include <shmem.h>
#ifdef HAS_FORTRAN
extern "C" void shmem_set_lock_(int *lock);
#endif

namespace {

constexpr int kVictim = 1;

long lock, flag, numbers[2];
[[maybe_unused]] int fortran_lock;
std::uint64_t signal;

void sleep_ms(long ms) {
  const timespec time{ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, nullptr);
}

/// What waits for the victim. Those that access its memory do so again and again: on a node that needs no help of its owner.
void wait_for_it(const char *way, char *block) {
  const auto is = [way](const char *name) { return std::strcmp(way, name) == 0; };
  if (is("barrier")) shmem_barrier_all();
  if (is("wait")) shmem_long_wait_until(&flag, SHMEM_CMP_NE, 0);
  if (is("wait_any")) shmem_long_wait_until_any(numbers, 2, nullptr, SHMEM_CMP_NE, 0);
  if (is("signal")) shmem_signal_wait_until(&signal, SHMEM_CMP_NE, 0);
  if (is("lock")) shmem_set_lock(&lock);
#ifdef HAS_FORTRAN
  if (is("fortran_lock")) shmem_set_lock_(&fortran_lock);
#endif
  if (is("malloc")) shmem_malloc(64);
  if (is("split")) {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), nullptr, 0, &team);
  }
  if (is("sum")) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, numbers, numbers + 1, 1);
  if (is("finalize")) shmem_finalize();
  std::vector<char> bytes(4096);
  while (is("access")) {
    shmem_putmem(block, bytes.data(), 4096, kVictim);
    shmem_long_atomic_fetch_inc(reinterpret_cast<long *>(block), kVictim);
    shmem_getmem(bytes.data(), block, 4096, kVictim);
    shmem_quiet();
    // On the node all of this succeeds without the victim, but not a call that waits.
    shmem_sync_all();
  }
}

}  // namespace

int main(int, char **arguments) {
  const char *const way = arguments[1];
  shmem_init();
  const int me = shmem_my_pe();
  auto *block = static_cast<char *>(shmem_calloc(1, 4096));
  if (me == kVictim) shmem_set_lock(&lock);
#ifdef HAS_FORTRAN
  if (me == kVictim) shmem_set_lock_(&fortran_lock);
#endif
  shmem_barrier_all();
  if (me == kVictim) {
    sleep_ms(300);
    std::raise(SIGKILL);
  }
  wait_for_it(way, block);
  std::printf("PE %d has not noticed in %s that PE %d has ended\n", me, way, kVictim);
  std::fflush(stdout);
  sleep_ms(20000);
  return 0;
}
