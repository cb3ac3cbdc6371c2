// Three PEs or more, of which the second kills itself while the others wait for it in the call that the argument names, or access its memory.
// Or, with `random DIRECTORY VICTIM MICROSECONDS SEED`, a PE that dies at that time in the middle of all kinds of calls. None of them may wait
// until its time is over.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <vector>

#include "support/sudden_death.hpp"
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

/// Calls of all kinds, which all PEs make in the same order, by the same random numbers.
class Mixture {
 public:
  explicit Mixture(unsigned seed) : random_(seed) { allocate(); }

  void step() {
    const int one = pick(size_);
    switch (pick(10)) {
      case 0: return shmem_barrier_all();
      case 1: return access(one);
      case 2: return take_lock();
      case 3: return pass_signal();
      case 4: return pass_number();
      case 5: return static_cast<void>(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to_, from_, elements()));
      case 6: return static_cast<void>(shmem_long_broadcast(SHMEM_TEAM_WORLD, to_, from_, elements(), one));
      case 7: return static_cast<void>(shmem_long_fcollect(SHMEM_TEAM_WORLD, to_, from_, elements() / static_cast<std::size_t>(size_)));
      case 8: return make_team();
      default: return allocate_again();
    }
  }

 private:
  static constexpr int kWords = 1 << 13;

  int pick(int below) { return std::uniform_int_distribution(0, below - 1)(random_); }
  std::size_t elements() { return static_cast<std::size_t>(1 << pick(14)); }
  int next() const { return (me_ + 1) % size_; }

  void allocate() {
    to_ = static_cast<long *>(shmem_calloc(kWords, sizeof(long)));
    from_ = static_cast<long *>(shmem_calloc(kWords, sizeof(long)));
  }
  void allocate_again() {
    shmem_free(from_);
    shmem_free(to_);
    allocate();
  }
  void access(int pe) {
    shmem_long_put_nbi(to_, from_, kWords, pe);
    shmem_long_atomic_fetch_inc(to_, pe);
    shmem_long_get(from_, to_, kWords, pe);
    shmem_quiet();
  }
  static void take_lock() {
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
  }
  void pass_signal() {
    shmem_long_put_signal(to_, from_, elements(), &signal, 1, SHMEM_SIGNAL_ADD, next());
    shmem_signal_wait_until(&signal, SHMEM_CMP_GE, ++signals_);
  }
  void pass_number() {
    shmem_long_p(&flag, ++passed_, next());
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, passed_);
  }
  void make_team() {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size_, nullptr, 0, &team);
    shmem_team_sync(team);
    shmem_team_destroy(team);
  }

  std::mt19937 random_;
  int me_ = shmem_my_pe(), size_ = shmem_n_pes();
  long *to_ = nullptr, *from_ = nullptr;
  std::uint64_t signals_ = 0;
  long passed_ = 0;
};

/// The arguments behind `random` and the directory.
int mix_until_one_dies(char **arguments) {
  shmem_init();
  const int me = shmem_my_pe(), victim = std::atoi(arguments[0]);
  Mixture mixture(static_cast<unsigned>(std::atoi(arguments[2])));
  if (me == victim) halocline::test::die_after(std::atol(arguments[1]));
  for (const std::time_t end = std::time(nullptr) + 50; std::time(nullptr) < end;) mixture.step();
  std::printf("PE %d has not noticed that PE %d has ended\n", me, victim);
  return 0;
}

}  // namespace

int main(int count, char **arguments) {
  const char *const way = arguments[1];
  if (count > 5 && std::strcmp(way, "random") == 0) return mix_until_one_dies(arguments + 3);
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
