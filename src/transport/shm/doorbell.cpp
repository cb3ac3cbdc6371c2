// Doorbells on futexes, and the state of a peer's process from /proc.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/doorbell.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

namespace halocline::core::transport::shm {
namespace {

/// State and start time of a process; `letter` is 0 if there is no such process.
struct ProcessStat {
  char letter = 0;
  unsigned long long start_time = 0;
};

ProcessStat read_stat(std::int64_t pid) {
  char path[64], text[1024];
  std::snprintf(path, sizeof path, "/proc/%lld/stat", static_cast<long long>(pid));
  // Not a FILE: this is called in waits, which must not allocate.
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  text[bytes > 0 ? bytes : 0] = '\0';
  // The name in parentheses may hold anything, so the fields are counted from its last parenthesis: 3 is the state, 22 the start.
  const char *rest = std::strrchr(text, ')');
  ProcessStat stat;
  if (rest)
    std::sscanf(rest + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &stat.letter,
                &stat.start_time);
  return stat;
}

std::uint64_t pid_namespace() {
  struct stat info;
  return stat("/proc/self/ns/pid", &info) == 0 ? static_cast<std::uint64_t>(info.st_ino) : 0;
}

}  // namespace

Process Process::of(pid_t pid) { return {pid, shm::pid_namespace(), read_stat(pid).start_time}; }

bool Process::alive() const {
  if (pid_namespace == 0 || pid_namespace != shm::pid_namespace()) return true;
  if (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return false;
  const ProcessStat stat = read_stat(pid);
  if (stat.letter == 0) return true;  // hidden /proc: only kill() can tell
  return stat.letter != 'Z' && stat.letter != 'X' && stat.start_time == start_time;
}

void Doorbell::attach(Region region, Member me) {
  region_ = std::move(region);
  me_ = me;
  state(me_).process = Process::of(getpid());
}

void Doorbell::attach(DoorbellState *states, Member me) {
  states_ = states;
  me_ = me;
}

void Doorbell::wake(Member member) {
  auto &doorbell = state(member).word;
  // SYNC doorbell-before-sleep (pairs with Wait::pause_slowly): a rank that sleeps from now on has seen this ring.
  doorbell.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t *>(&doorbell), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Doorbell::announce_sleep() {
  state(me_).sleepers.fetch_add(1, std::memory_order_relaxed);
  // SYNC counter-before-sleepers (pairs with Doorbell::ring): the announcement precedes the next look at the counters.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Doorbell::sleep(std::uint32_t seen, long timeout_ns) {
  const std::timespec time{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t *>(&state(me_).word), FUTEX_WAIT, seen, &time, nullptr, 0);
}

void Doorbell::awake() { state(me_).sleepers.fetch_sub(1, std::memory_order_relaxed); }

}  // namespace halocline::core::transport::shm
