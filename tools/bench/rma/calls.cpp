// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rma/calls.hpp"

#include <dlfcn.h>

#include <cstring>

namespace bench {

namespace {

/// The host's function, from the library that PMPI_Comm_rank is in.
template <class Function>
Function of_host(Function named, const char *name) {
  Dl_info where{};
  if (dladdr(reinterpret_cast<void *>(&PMPI_Comm_rank), &where) == 0) return named;
  void *const mpi = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *const found = mpi ? dlsym(mpi, name) : nullptr;
  return found ? reinterpret_cast<Function>(found) : named;
}

}  // namespace

// One list in the order of the table, for both names.
#define BENCH_RMA_CALLS(CALL)                                                                                                           \
  CALL(Win_create), CALL(Win_allocate), CALL(Win_allocate_shared), CALL(Win_create_dynamic), CALL(Win_free), CALL(Put), CALL(Get),      \
      CALL(Accumulate), CALL(Get_accumulate), CALL(Fetch_and_op), CALL(Compare_and_swap), CALL(Win_flush), CALL(Win_lock),              \
      CALL(Win_unlock), CALL(Win_lock_all), CALL(Win_unlock_all), CALL(Win_fence), CALL(Win_post), CALL(Win_start), CALL(Win_complete), \
      CALL(Win_wait)
#define BENCH_LOADED(name) MPI_##name
#define BENCH_HOST(name) of_host(&PMPI_##name, "PMPI_" #name)

const RmaCalls &loaded_calls() {
  static const RmaCalls calls{BENCH_RMA_CALLS(BENCH_LOADED)};
  return calls;
}

const RmaCalls &host_calls() {
  static const RmaCalls calls{BENCH_RMA_CALLS(BENCH_HOST)};
  return calls;
}

bool is_drop_in_loaded() {
  Dl_info where{};
  return dladdr(reinterpret_cast<void *>(&MPI_Put), &where) != 0 && where.dli_fname && std::strstr(where.dli_fname, "libhalocline_mpi");
}

}  // namespace bench
