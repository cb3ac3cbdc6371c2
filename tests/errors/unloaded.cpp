// A program that loads the library, opens a network with a progress thread, and releases the library with dlclose. The code stays loaded,
// and so do the threads that run in it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <halocline/halocline.h>
#include <unistd.h>

#include <cstdio>

namespace {

/// Function names a type only: nothing of the library is linked.
template <class Function>
Function *find(void *library, const char *name) {
  return reinterpret_cast<Function *>(dlsym(library, name));
}

int fail(const char *what) {
  std::printf("%s\n0 passed, 1 failed, 0 skipped\n", what);
  return 1;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 2) return fail("usage: unloaded LIBRARY");
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return fail(dlerror());
  const auto init = find<decltype(hlc_init)>(library, "hlc_init");
  const auto create = find<decltype(hlc_segment_create)>(library, "hlc_segment_create");
  hlc_context *context = nullptr;
  if (init(MPI_COMM_WORLD, &context) != HLC_OK) return fail("hlc_init");
  hlc_segment_spec spec{};
  hlc_segment *segment = nullptr;
  const hlc_status made = create(context, &spec, &segment);
  if (made == HLC_ERR_UNSUPPORTED) {
    if (rank == 0) std::printf("skip: no network, and so no thread\n");
    MPI_Finalize();
    return 77;
  }
  if (made != HLC_OK) return fail("hlc_segment_create");
  dlclose(library);
  usleep(300'000);  // the thread wakes up now and then
  MPI_Barrier(MPI_COMM_WORLD);
  const bool there = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != nullptr;
  MPI_Finalize();
  if (!there) return fail("the library has gone");
  if (rank == 0) std::printf("1 passed, 0 failed, 0 skipped\n");
  return 0;
}
