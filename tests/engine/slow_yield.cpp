// A crowded core: each sched_yield of Halocline takes 20 ms, as where many processes want the core.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "support/library.hpp"

extern "C" __attribute__((visibility("default"))) int sched_yield() noexcept {
  Dl_info caller;
  if (!dladdr(__builtin_return_address(0), &caller) || !halocline::test::is_halocline(caller.dli_fname))
    return static_cast<int>(syscall(SYS_sched_yield));
  const std::timespec time{0, 20'000'000};
  return nanosleep(&time, nullptr);
}
