// The threads of this process, as the kernel lists them: whether one waits in a call, and how many there are. No test has to guess how long
// that takes on a busy machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace halocline::test {

/// What a line /proc/self/task/<thread>/stat says.
struct ThreadState {
  char letter = ' ';
  bool exits = false;

  explicit ThreadState(const std::filesystem::path &task) {
    constexpr unsigned kExiting = 4;  // PF_EXITING
    std::ifstream file(task / "stat");
    std::string text, skipped;
    std::getline(file, text);
    std::istringstream words(text.substr(text.rfind(')') + 1));  // a name may have blanks; npos + 1 is 0
    unsigned flags = kExiting;  // of one that has gone meanwhile
    words >> letter;
    for (int i = 0; i < 5; ++i) words >> skipped;
    words >> flags;
    exits = (flags & kExiting) != 0;
  }
};

inline pid_t this_thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

/// Returns once a thread of this process sleeps, which is about to call what waits.
inline void await_sleep(pid_t thread) {
  const std::filesystem::path task = "/proc/self/task/" + std::to_string(thread);
  while (ThreadState(task).letter != 'S') std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// How many threads there are. One that has been joined is still listed for a while, and not counted.
inline int threads() {
  int count = 0;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) count += ThreadState(task.path()).exits ? 0 : 1;
  return count;
}

}  // namespace halocline::test
