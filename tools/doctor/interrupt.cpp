// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

namespace doctor {
namespace {

volatile sig_atomic_t noted = 0;

void note(int signal) { noted = signal; }

/// In the child: nothing here may allocate. The shell reads until the doctor's end of the pipe is closed.
[[noreturn]] void wait_and_sweep(int input, const char *folder) {
  setsid();
  const int nothing = open("/dev/null", O_RDWR);
  dup2(input, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  for (int file = 3; file < 256; ++file) close(file);
  execl("/bin/sh", "sh", "-c", "trap '' INT TERM HUP; cat; rm -rf -- \"$1\"", "sh", folder, nullptr);
  _exit(127);
}

}  // namespace

Interrupted::Interrupted(int signal) : std::runtime_error(std::string("interrupted (") + strsignal(signal) + ")"), signal_(signal) {}

void note_interrupts(bool by_launcher) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, note);
  if (by_launcher) prctl(PR_SET_PDEATHSIG, SIGTERM);
}

void throw_if_interrupted() {
  if (noted) throw Interrupted(noted);
}

Sweeper::Sweeper(const std::string &folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) wait_and_sweep(ends[0], folder.c_str());
  close(ends[0]);
  pipe_ = ends[1];
}

Sweeper::~Sweeper() {
  if (pipe_ >= 0) close(pipe_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

}  // namespace doctor
