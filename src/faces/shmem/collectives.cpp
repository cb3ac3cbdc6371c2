// OpenSHMEM 1.5, collective routines of teams: barriers, copies, reductions. The names of the typed functions are made by the macros below
// from type_lists.hpp; halocline/shmem/collectives.h and reductions.h have each written out.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/copies.hpp"
#include "faces/shmem/reduce.hpp"
#include "faces/shmem/team.hpp"
#include "faces/shmem/type_lists.hpp"

using namespace halocline::core::shmem;

// The functions on elements of one type, or on bytes.
#define HLC_SHMEM_COPIES(prefix, suffix, type, bytes)                                                                                      \
  int pshmem_##prefix##alltoall##suffix(shmem_team_t team, type *dest, const type *source, size_t nelems) {                                \
    alltoall(collective_of("shmem_" #prefix "alltoall" #suffix, team), {dest, source, nelems, bytes});                                     \
    return 0;                                                                                                                              \
  }                                                                                                                                        \
  HLC_SHMEM_ALIAS(prefix##alltoall##suffix);                                                                                               \
  int pshmem_##prefix##alltoalls##suffix(shmem_team_t team, type *dest, const type *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems) { \
    alltoalls(collective_of("shmem_" #prefix "alltoalls" #suffix, team), {dest, source, nelems, bytes}, {dst, sst});                       \
    return 0;                                                                                                                              \
  }                                                                                                                                        \
  HLC_SHMEM_ALIAS(prefix##alltoalls##suffix);                                                                                              \
  int pshmem_##prefix##broadcast##suffix(shmem_team_t team, type *dest, const type *source, size_t nelems, int PE_root) {                  \
    broadcast(collective_of("shmem_" #prefix "broadcast" #suffix, team), {dest, source, nelems, bytes}, PE_root, true);                    \
    return 0;                                                                                                                              \
  }                                                                                                                                        \
  HLC_SHMEM_ALIAS(prefix##broadcast##suffix);                                                                                              \
  int pshmem_##prefix##collect##suffix(shmem_team_t team, type *dest, const type *source, size_t nelems) {                                 \
    collect(collective_of("shmem_" #prefix "collect" #suffix, team), {dest, source, nelems, bytes});                                       \
    return 0;                                                                                                                              \
  }                                                                                                                                        \
  HLC_SHMEM_ALIAS(prefix##collect##suffix);                                                                                                \
  int pshmem_##prefix##fcollect##suffix(shmem_team_t team, type *dest, const type *source, size_t nelems) {                                \
    fcollect(collective_of("shmem_" #prefix "fcollect" #suffix, team), {dest, source, nelems, bytes});                                     \
    return 0;                                                                                                                              \
  }                                                                                                                                        \
  HLC_SHMEM_ALIAS(prefix##fcollect##suffix);

#define HLC_SHMEM_TYPED(name, type) HLC_SHMEM_COPIES(name##_, , type, sizeof(type))

#define HLC_SHMEM_REDUCE(name, type, operation, kind)                                                           \
  int pshmem_##name##_##operation##_reduce(shmem_team_t team, type *dest, const type *source, size_t nreduce) { \
    reduce_members(collective_of("shmem_" #name "_" #operation "_reduce", team),                                \
                   {reduction_of<type>(Operation::kind), source, dest, nreduce});                               \
    return 0;                                                                                                   \
  }                                                                                                             \
  HLC_SHMEM_ALIAS(name##_##operation##_reduce);
#define HLC_SHMEM_BITS(name, type)        \
  HLC_SHMEM_REDUCE(name, type, and, band) \
  HLC_SHMEM_REDUCE(name, type, or, bor)   \
  HLC_SHMEM_REDUCE(name, type, xor, bxor)
#define HLC_SHMEM_ORDER(name, type)      \
  HLC_SHMEM_REDUCE(name, type, max, max) \
  HLC_SHMEM_REDUCE(name, type, min, min)
#define HLC_SHMEM_NUMBERS(name, type)    \
  HLC_SHMEM_REDUCE(name, type, sum, sum) \
  HLC_SHMEM_REDUCE(name, type, prod, prod)

extern "C" {

HLC_SHMEM_RMA_TYPES(HLC_SHMEM_TYPED)
HLC_SHMEM_COPIES(, mem, void, 1)
HLC_SHMEM_REDUCE_BITS_TYPES(HLC_SHMEM_BITS)
HLC_SHMEM_RMA_TYPES(HLC_SHMEM_ORDER)
HLC_SHMEM_REDUCE_NUMBERS_TYPES(HLC_SHMEM_NUMBERS)

void pshmem_barrier_all() {
  constexpr const char *call = "shmem_barrier_all";
  const Collective collective = collective_of_all(call);
  quiet(call, default_context);
  sync_members(collective);
}

void pshmem_sync_all() { sync_members(collective_of_all("shmem_sync_all")); }

int pshmem_team_sync(shmem_team_t team) {
  sync_members(collective_of("shmem_team_sync", team));
  return 0;
}

HLC_SHMEM_ALIAS(barrier_all);
HLC_SHMEM_ALIAS(sync_all);
HLC_SHMEM_ALIAS(team_sync);

}  // extern "C"
