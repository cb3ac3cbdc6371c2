// Asks the system for the limit, and libibverbs for the fork.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/pinned_memory.hpp"

#include <dlfcn.h>
#include <sys/resource.h>

namespace halocline::core::transport {
namespace {

constexpr int kForkDisabled = 0;  // IBV_FORK_DISABLED

/// libibverbs's function of the program itself, or of the library that its provider has loaded; null if there is none.
auto find_fork_status() {
  constexpr const char *name = "ibv_is_fork_initialized";
  void *found = dlsym(RTLD_DEFAULT, name);
  if (!found) {
    void *const loaded = dlopen("libibverbs.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (loaded) found = dlsym(loaded, name);
    if (loaded) dlclose(loaded);
  }
  return reinterpret_cast<int (*)()>(found);
}

}  // namespace

std::string limit_of_pinned_memory() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return "; it pins them, and this process may pin " + std::to_string(limit.rlim_cur) + " bytes in all: raise 'ulimit -l'";
}

std::string caution_of_fork() {
  const auto fork_status = find_fork_status();
  if (!fork_status || fork_status() != kForkDisabled) return "";
  return ", the program must not fork: set RDMAV_FORK_SAFE=1 if it does";
}

}  // namespace halocline::core::transport
