// The end of this process at some time, in the middle of anything.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace halocline::test {

inline void die_after(long microseconds) {
  std::signal(SIGALRM, [](int) { ::kill(::getpid(), SIGKILL); });
  const long us = std::max(microseconds, 1L);  // 0 would be never
  const itimerval time{{0, 0}, {us / 1000000, us % 1000000}};
  ::setitimer(ITIMER_REAL, &time, nullptr);
}

}  // namespace halocline::test
