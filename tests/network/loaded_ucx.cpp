// Which UCX the library takes in a process that has loaded FILE before, without MPI: `halocline_loaded_ucx [FILE]`. It prints the UCX, or why there
// is none, and how many are loaded then. The status is 0 if that is one.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

#include "transport/ucx/library.hpp"

namespace ucx = halocline::core::transport::ucx;

static int count_ucx() {
  int count = 0;
  const auto add = [](dl_phdr_info *object, std::size_t, void *sum) {
    *static_cast<int *>(sum) += object->dlpi_name && std::strstr(object->dlpi_name, "/libucp") ? 1 : 0;
    return 0;
  };
  dl_iterate_phdr(add, &count);
  return count;
}

int main(int argc, char **argv) {
  if (argc > 1 && !dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  const ucx::Library *library = nullptr;
  const bool is_found = ucx::find_library({}, &library) == halocline::core::Status::ok;
  const int count = count_ucx();
  std::printf("%s; %d loaded\n", is_found ? library->name().c_str() : halocline::core::error_message(), count);
  return count == 1 ? 0 : 1;
}
