// Functions of MPI for Fortran, which note where the program has called them and go on in the MPI's. That one calls the function for C, whose
// caller would be the MPI itself. Each is a few instructions that leave all arguments where they are: their number differs. On other processors
// than x86-64 calls of Fortran are reported at the MPI's own function.
// SPDX-License-Identifier: BSD-3-Clause
#include "fortran_sites.hpp"

#if defined(__x86_64__)
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "host.hpp"

// clang-format off: several names a line.
#define HLC_ADVISE_NAMES \
  HLC_ADVISE_NAME(send) HLC_ADVISE_NAME(ssend) HLC_ADVISE_NAME(bsend) \
  HLC_ADVISE_NAME(rsend) HLC_ADVISE_NAME(isend) HLC_ADVISE_NAME(issend) \
  HLC_ADVISE_NAME(ibsend) HLC_ADVISE_NAME(irsend) HLC_ADVISE_NAME(send_init) \
  HLC_ADVISE_NAME(ssend_init) HLC_ADVISE_NAME(bsend_init) HLC_ADVISE_NAME(rsend_init) \
  HLC_ADVISE_NAME(irecv) HLC_ADVISE_NAME(recv_init) HLC_ADVISE_NAME(recv) \
  HLC_ADVISE_NAME(sendrecv) HLC_ADVISE_NAME(sendrecv_replace) HLC_ADVISE_NAME(wait) \
  HLC_ADVISE_NAME(waitall) HLC_ADVISE_NAME(waitany) HLC_ADVISE_NAME(waitsome) \
  HLC_ADVISE_NAME(test) HLC_ADVISE_NAME(testall) HLC_ADVISE_NAME(testany) \
  HLC_ADVISE_NAME(testsome) HLC_ADVISE_NAME(start) HLC_ADVISE_NAME(startall) \
  HLC_ADVISE_NAME(probe) HLC_ADVISE_NAME(iprobe) HLC_ADVISE_NAME(neighbor_alltoall) \
  HLC_ADVISE_NAME(neighbor_alltoallv) HLC_ADVISE_NAME(neighbor_alltoallw) HLC_ADVISE_NAME(neighbor_allgather) \
  HLC_ADVISE_NAME(neighbor_allgatherv) HLC_ADVISE_NAME(ineighbor_alltoall) HLC_ADVISE_NAME(ineighbor_alltoallv) \
  HLC_ADVISE_NAME(ineighbor_alltoallw) HLC_ADVISE_NAME(ineighbor_allgather) HLC_ADVISE_NAME(ineighbor_allgatherv) \
  HLC_ADVISE_NAME(barrier) HLC_ADVISE_NAME(ibarrier) HLC_ADVISE_NAME(bcast) \
  HLC_ADVISE_NAME(reduce) HLC_ADVISE_NAME(allreduce) HLC_ADVISE_NAME(iallreduce) \
  HLC_ADVISE_NAME(scan) HLC_ADVISE_NAME(exscan) HLC_ADVISE_NAME(reduce_scatter) \
  HLC_ADVISE_NAME(reduce_scatter_block) HLC_ADVISE_NAME(gather) HLC_ADVISE_NAME(gatherv) \
  HLC_ADVISE_NAME(scatter) HLC_ADVISE_NAME(scatterv) HLC_ADVISE_NAME(allgather) \
  HLC_ADVISE_NAME(allgatherv) HLC_ADVISE_NAME(alltoall) HLC_ADVISE_NAME(alltoallv) \
  HLC_ADVISE_NAME(alltoallw) HLC_ADVISE_NAME(put) HLC_ADVISE_NAME(get) \
  HLC_ADVISE_NAME(rput) HLC_ADVISE_NAME(rget) HLC_ADVISE_NAME(accumulate) \
  HLC_ADVISE_NAME(raccumulate) HLC_ADVISE_NAME(get_accumulate) HLC_ADVISE_NAME(fetch_and_op) \
  HLC_ADVISE_NAME(compare_and_swap) HLC_ADVISE_NAME(win_fence) HLC_ADVISE_NAME(win_lock) \
  HLC_ADVISE_NAME(win_unlock) HLC_ADVISE_NAME(win_lock_all) HLC_ADVISE_NAME(win_unlock_all) \
  HLC_ADVISE_NAME(win_flush) HLC_ADVISE_NAME(win_flush_all) HLC_ADVISE_NAME(win_flush_local) \
  HLC_ADVISE_NAME(win_flush_local_all) HLC_ADVISE_NAME(win_sync) HLC_ADVISE_NAME(win_post) \
  HLC_ADVISE_NAME(win_start) HLC_ADVISE_NAME(win_complete) HLC_ADVISE_NAME(win_wait)
// clang-format on

namespace {

[[noreturn]] void refuse() {
  std::fprintf(stderr,
               "halocline: the program loads MPI's functions for Fortran after MPI_Init; link it with them, or leave out the recorder\n");
  std::abort();
}

}  // namespace

// gfortran's names, those of mpi_f08 in Open MPI, and those of mpi_f08 in MPICH.
extern "C" {
#define HLC_ADVISE_NAME(name)                                                \
  __attribute__((visibility("hidden"))) void *hlc_advise_to_##name##_[3] = { \
      reinterpret_cast<void *>(refuse), reinterpret_cast<void *>(refuse), reinterpret_cast<void *>(refuse)};
HLC_ADVISE_NAMES
#undef HLC_ADVISE_NAME
}

#define HLC_ADVISE_STUB(name, table, offset)         \
  asm(".text\n.globl mpi_" name "\n.type mpi_" name  \
      ", @function\n"                                \
      "mpi_" name                                    \
      ":\n"                                          \
      "  mov hlc_advise_site@gottpoff(%rip), %r11\n" \
      "  mov (%rsp), %rax\n"                         \
      "  mov %rax, %fs:(%r11)\n"                     \
      "  jmp *hlc_advise_to_" table "_+" offset      \
      "(%rip)\n"                                     \
      ".size mpi_" name ", .-mpi_" name "\n");

#define HLC_ADVISE_NAME(name)                \
  HLC_ADVISE_STUB(#name "_", #name, "0")     \
  HLC_ADVISE_STUB(#name "_f08_", #name, "8") \
  HLC_ADVISE_STUB(#name "_f08ts_", #name, "16")
HLC_ADVISE_NAMES
#undef HLC_ADVISE_NAME

namespace advise {

void find_fortran() {
  const auto find = [](void **place, const char *name) {
    if (void *const function = dlsym(RTLD_NEXT, name)) *place = function;
  };
#define HLC_ADVISE_NAME(name)                              \
  find(&hlc_advise_to_##name##_[0], "mpi_" #name "_");     \
  find(&hlc_advise_to_##name##_[1], "mpi_" #name "_f08_"); \
  find(&hlc_advise_to_##name##_[2], "mpi_" #name "_f08ts_");
  HLC_ADVISE_NAMES
#undef HLC_ADVISE_NAME
}

}  // namespace advise

// At once, too: a program may use them without this recorder's beginning.
[[gnu::constructor]] static void find_fortran_at_load() { advise::find_fortran(); }

#else
namespace advise {
void find_fortran() {}
}  // namespace advise
#endif
