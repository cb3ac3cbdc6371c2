// Three ranks or more, of which the second kills itself while the others wait for it in the call that the argument names, or write to it. Or,
// with `random DIRECTORY VICTIM MICROSECONDS SEED`, a rank that dies at that time in the middle of all kinds of calls. None of them may wait
// until its time is over.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

extern "C" {
#include <armci.h>
}

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <random>
#include <vector>

#include "support/sudden_death.hpp"

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
  if (is("group")) {
    std::vector<int> all(static_cast<std::size_t>(armci_msg_nproc()));
    std::iota(all.begin(), all.end(), 0);
    ARMCI_Group group;
    ARMCI_Group_create(armci_msg_nproc(), all.data(), &group);
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

/// Calls of all kinds, which all ranks make in the same order, by the same random numbers.
class Mixture {
 public:
  explicit Mixture(unsigned seed) : random_(seed) { allocate(); }

  void step() {
    const int one = pick(size_);
    switch (pick(9)) {
      case 0: return ARMCI_Barrier();
      case 1: return access(one);
      case 2: return lock(one);
      case 3: return pass_message();
      case 4: return add();
      case 5: return armci_msg_brdcst(bytes_.data(), 1 << pick(17), one);
      case 6: return make_group();
      case 7: return notify();
      default: return allocate_again();
    }
  }

 private:
  static constexpr int kBytes = 1 << 16;

  int pick(int below) { return std::uniform_int_distribution(0, below - 1)(random_); }

  void allocate() {
    ARMCI_Malloc(bases_.data(), kBytes);
    ARMCI_Create_mutexes(2);
  }
  void allocate_again() {
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    ARMCI_Free(bases_[static_cast<std::size_t>(rank_)]);
    allocate();
  }
  void access(int proc) {
    void *const there = bases_[static_cast<std::size_t>(proc)];
    double scale = 2;
    long word = 0;
    ARMCI_Put(bytes_.data(), there, kBytes, proc);
    ARMCI_Acc(ARMCI_ACC_DBL, &scale, bytes_.data(), there, kBytes, proc);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &word, there, 1, proc);
    ARMCI_Get(there, bytes_.data(), kBytes, proc);
    ARMCI_Fence(proc);
  }
  void lock(int proc) {
    ARMCI_Lock(1, proc);
    ARMCI_Unlock(1, proc);
  }
  void pass_message() {
    int length = 1 << pick(17);
    armci_msg_snd(3, bytes_.data(), length, (rank_ + 1) % size_);
    armci_msg_rcv(3, bytes_.data(), 1 << 17, &length, (rank_ + size_ - 1) % size_);
  }
  void add() {
    char plus[] = "+";
    armci_msg_lgop(reinterpret_cast<long *>(bytes_.data()), 1 << pick(12), plus);
  }
  void make_group() {
    std::vector<int> all(static_cast<std::size_t>(size_));
    std::iota(all.begin(), all.end(), 0);
    ARMCI_Group group;
    ARMCI_Group_create(size_, all.data(), &group);
    armci_msg_group_barrier(&group);
    ARMCI_Group_free(&group);
  }
  void notify() {
    armci_notify((rank_ + 1) % size_);
    armci_notify_wait((rank_ + size_ - 1) % size_, nullptr);
  }

  std::mt19937 random_;
  int rank_ = armci_msg_me(), size_ = armci_msg_nproc();
  std::vector<char> bytes_ = std::vector<char>(1 << 17);
  std::vector<void *> bases_ = std::vector<void *>(static_cast<std::size_t>(size_));
};

/// The arguments behind `random` and the directory.
int mix_until_one_dies(char **arguments) {
  ARMCI_Init();
  const int rank = armci_msg_me(), victim = std::atoi(arguments[0]);
  Mixture mixture(static_cast<unsigned>(std::atoi(arguments[2])));
  if (rank == victim) halocline::test::die_after(std::atol(arguments[1]));
  for (const std::time_t end = std::time(nullptr) + 50; std::time(nullptr) < end;) mixture.step();
  std::printf("rank %d has not noticed that rank %d has ended\n", rank, victim);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  const char *const way = argc > 1 ? argv[1] : "barrier";
  MPI_Init(&argc, &argv);
  if (argc > 5 && std::strcmp(way, "random") == 0) return mix_until_one_dies(argv + 3);
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
