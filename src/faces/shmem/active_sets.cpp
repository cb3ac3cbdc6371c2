// The collective routines of active sets, which OpenSHMEM 1.5 deprecates. They use neither pSync nor pWrk. The names of the functions are made
// by the macros below from type_lists.hpp; halocline/shmem/deprecated.h has each written out.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/copies.hpp"
#include "faces/shmem/job.hpp"
#include "faces/shmem/reduce.hpp"
#include "faces/shmem/team.hpp"
#include "faces/shmem/type_lists.hpp"

using namespace halocline::core::shmem;

#define HLC_SHMEM_SIZED(bits, octets)                                                                                                      \
  void pshmem_alltoall##bits(void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long *) {         \
    alltoall(collective_of("shmem_alltoall" #bits, ActiveSet{PE_start, logPE_stride, PE_size}), {dest, source, nelems, octets});           \
  }                                                                                                                                        \
  HLC_SHMEM_ALIAS(alltoall##bits);                                                                                                         \
  void pshmem_alltoalls##bits(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int PE_start, int logPE_stride, \
                              int PE_size, long *) {                                                                                       \
    alltoalls(collective_of("shmem_alltoalls" #bits, ActiveSet{PE_start, logPE_stride, PE_size}), {dest, source, nelems, octets},          \
              {dst, sst});                                                                                                                 \
  }                                                                                                                                        \
  HLC_SHMEM_ALIAS(alltoalls##bits);                                                                                                        \
  void pshmem_broadcast##bits(void *dest, const void *source, size_t nelems, int PE_root, int PE_start, int logPE_stride, int PE_size,     \
                              long *) {                                                                                                    \
    broadcast(collective_of("shmem_broadcast" #bits, ActiveSet{PE_start, logPE_stride, PE_size}), {dest, source, nelems, octets}, PE_root, \
              false);                                                                                                                      \
  }                                                                                                                                        \
  HLC_SHMEM_ALIAS(broadcast##bits);                                                                                                        \
  void pshmem_collect##bits(void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long *) {          \
    collect(collective_of("shmem_collect" #bits, ActiveSet{PE_start, logPE_stride, PE_size}), {dest, source, nelems, octets});             \
  }                                                                                                                                        \
  HLC_SHMEM_ALIAS(collect##bits);                                                                                                          \
  void pshmem_fcollect##bits(void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long *) {         \
    fcollect(collective_of("shmem_fcollect" #bits, ActiveSet{PE_start, logPE_stride, PE_size}), {dest, source, nelems, octets});           \
  }                                                                                                                                        \
  HLC_SHMEM_ALIAS(fcollect##bits);

#define HLC_SHMEM_TO_ALL(name, type, operation, kind)                                                                                 \
  void pshmem_##name##_##operation##_to_all(type *dest, const type *source, int nreduce, int PE_start, int logPE_stride, int PE_size, \
                                            type *, long *) {                                                                         \
    constexpr const char *call = "shmem_" #name "_" #operation "_to_all";                                                             \
    reduce_members(collective_of(call, ActiveSet{PE_start, logPE_stride, PE_size}),                                                   \
                   {reduction_of<type>(Operation::kind), source, dest, count_of(call, nreduce)});                                     \
  }                                                                                                                                   \
  HLC_SHMEM_ALIAS(name##_##operation##_to_all);
#define HLC_SHMEM_BITS(name, type)        \
  HLC_SHMEM_TO_ALL(name, type, and, band) \
  HLC_SHMEM_TO_ALL(name, type, or, bor)   \
  HLC_SHMEM_TO_ALL(name, type, xor, bxor)
#define HLC_SHMEM_ORDER(name, type)      \
  HLC_SHMEM_TO_ALL(name, type, max, max) \
  HLC_SHMEM_TO_ALL(name, type, min, min)
#define HLC_SHMEM_NUMBERS(name, type)    \
  HLC_SHMEM_TO_ALL(name, type, sum, sum) \
  HLC_SHMEM_TO_ALL(name, type, prod, prod)

namespace {

size_t count_of(const char *call, int nreduce) {
  if (nreduce < 0) stop("%s on PE %d: nreduce is %d but must be 0 or more", call, need_job(call).rank(), nreduce);
  return static_cast<size_t>(nreduce);
}

}  // namespace

extern "C" {

HLC_SHMEM_SIZED(32, 4)
HLC_SHMEM_SIZED(64, 8)
HLC_SHMEM_OLD_BITS_TYPES(HLC_SHMEM_BITS)
HLC_SHMEM_OLD_ORDER_TYPES(HLC_SHMEM_ORDER)
HLC_SHMEM_OLD_NUMBERS_TYPES(HLC_SHMEM_NUMBERS)

void pshmem_barrier(int PE_start, int logPE_stride, int PE_size, long *) {
  constexpr const char *call = "shmem_barrier";
  const Collective collective = collective_of(call, ActiveSet{PE_start, logPE_stride, PE_size});
  quiet(call, default_context);
  sync_members(collective);
}

void pshmem_sync(int PE_start, int logPE_stride, int PE_size, long *) {
  sync_members(collective_of("shmem_sync", ActiveSet{PE_start, logPE_stride, PE_size}));
}

HLC_SHMEM_ALIAS(barrier);
HLC_SHMEM_ALIAS(sync);

}  // extern "C"
