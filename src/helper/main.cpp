// halocline-helper: the process that serves the segments of one node's ranks to other nodes while they compute (HALOCLINE_PROGRESS=helper).
// The first of the ranks starts it (engine/network/helper.cpp); it calls no MPI, and ends with its ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <memory>

#include "helper/server.hpp"

namespace halocline::core {
namespace {

/// The rank's open files were inherited, its connections and the launcher's among them. None is needed here.
void close_others() {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, kHelperPipe + 1, ~0U, 0) == 0) return;
#endif
  for (long file = sysconf(_SC_OPEN_MAX) - 1; file > kHelperPipe; --file) close(static_cast<int>(file));
}

/// Signals that a launcher sends to all processes of a job are for the ranks; this process ends when they do.
void leave_signals_to_ranks() {
  for (const int signal :
       {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE, SIGTSTP, SIGCONT, SIGXCPU, SIGVTALRM, SIGPROF})
    ::signal(signal, SIG_IGN);
}

/// The rank may be bound to a core, on which the two would compete.
void use_any_core() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  sched_setaffinity(0, sizeof all, &all);
}

/// End of file on the pipe means that the ranks have ended, so it must be the right pipe.
bool is_the_pipe(const transport::shm::ObjectAddress &expected) {
  struct stat pipe;
  return fstat(kHelperPipe, &pipe) == 0 && pipe.st_dev == expected.device && pipe.st_ino == expected.inode;
}

int run() {
  struct stat object;
  if (fstat(kHelperObject, &object) != 0 || object.st_size < static_cast<off_t>(sizeof(HelperPart))) {
    std::fprintf(stderr, "halocline-helper is started by libhalocline, not by hand\n");
    return 2;
  }
  const auto bytes = static_cast<std::size_t>(object.st_size);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, kHelperObject, 0);
  if (memory == MAP_FAILED) return 1;
  const HelperState &state = static_cast<HelperPart *>(memory)->state;
  if (state.build != kHelperBuild || state.members < 1 || !is_the_pipe(state.pipe)) return 3;
  close(kHelperObject);
  close_others();
  leave_signals_to_ranks();
  use_any_core();
  Server server(static_cast<char *>(memory), object.st_size / state.members);
  if (server.open()) server.serve(kHelperPipe);
  // The process's end frees connections and memory.
  _exit(0);
}

}  // namespace
}  // namespace halocline::core

int main() {
  try {
    return halocline::core::run();
  } catch (const std::exception &) {
    return 4;
  }
}
