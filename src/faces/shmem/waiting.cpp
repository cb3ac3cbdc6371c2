// OpenSHMEM 1.5, point-to-point synchronization: waiting for variables of this PE, and testing them. The names of the functions are made by
// the macros below from type_lists.hpp; halocline/shmem/wait.h has each written out.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "faces/shmem/near.hpp"
#include "faces/shmem/pause.hpp"
#include "faces/shmem/place.hpp"
#include "faces/shmem/type_lists.hpp"

namespace halocline::core::shmem {
namespace {

template <class T>
inline T load(volatile T *variable) {
  // SYNC data-before-signal (pairs with put_signal, with a put after a fence, and with atomics)
  return std::atomic_ref<T>(*const_cast<T *>(variable)).load(std::memory_order_acquire);
}

template <class T>
inline bool compares(int cmp, T value, T with) {
  switch (cmp) {
    case SHMEM_CMP_EQ: return value == with;
    case SHMEM_CMP_NE: return value != with;
    case SHMEM_CMP_GT: return value > with;
    case SHMEM_CMP_GE: return value >= with;
    case SHMEM_CMP_LT: return value < with;
    default: return value <= with;
  }
}

inline void check(const char *call, int cmp, const volatile void *variables, const char *name = "ivar") {
  need_open(call);
  if (cmp < SHMEM_CMP_EQ || cmp > SHMEM_CMP_LE) [[unlikely]]
    stop("%s on PE %d: cmp is %d but must be one of SHMEM_CMP_EQ, _NE, _GT, _GE, _LT, _LE", call, need_job(call).rank(), cmp);
  if (!variables) [[unlikely]]
    stop_for_null(call, name);
}

/// Serves other PEs, so that a loop of tests sees what they send.
inline void poll(const char *call) {
  Job &job = need_job(call);
  if (job.context.nodes() > 1) job.context.network().poll_sometimes();
}

/// Variables, those of which count that have no status, and what each is compared with.
template <class T>
struct Variables {
  volatile T *values;
  std::size_t count;
  const int *status;
  int cmp;
  const T *with;
  bool with_each;  // with[i], else *with

  bool counts(std::size_t i) const { return !status || status[i] == 0; }
  bool fulfils(std::size_t i) const { return compares(cmp, load(values + i), with[with_each ? i : 0]); }
  bool none_counts() const {
    for (std::size_t i = 0; i < count; ++i)
      if (counts(i)) return false;
    return true;
  }
  bool all() const {
    for (std::size_t i = 0; i < count; ++i)
      if (counts(i) && !fulfils(i)) return false;
    return true;
  }
  std::size_t any() const {
    for (std::size_t i = 0; i < count; ++i)
      if (counts(i) && fulfils(i)) return i;
    return SIZE_MAX;
  }
  std::size_t some(std::size_t *indices) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (counts(i) && fulfils(i)) indices[found++] = i;
    return found;
  }
};

template <class T>
Variables<T> variables_of(const char *call, volatile T *ivars, std::size_t nelems, const int *status, int cmp, const T *with,
                          bool with_each) {
  if (nelems > 0) {
    check(call, cmp, ivars, "ivars");
    if (!with) stop_for_null(call, "cmp_values");
  }
  return {ivars, nelems, status, cmp, with, with_each};
}

/// Where the indices of variables are written.
std::size_t *checked(const char *call, std::size_t *indices, std::size_t nelems) {
  if (nelems > 0 && !indices) stop_for_null(call, "indices");
  return indices;
}

constexpr const char *kWhat = "a variable that another PE changes";

/// No PE can change another variable, and the wait would not end. Those of other PEs, which shmem_ptr finds, may be waited for as well.
void need_symmetric(const char *call, const Symmetric &variables) {
  if (near.members == 0) return;  // the PEs of the node do not follow each other, and where their parts end is not known
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(variables.address) - reinterpret_cast<std::uintptr_t>(near.parts);
  if (offset >= near.members * near.stride) static_cast<void>(find_offset(call, variables, need_job(call).rank()));
}

template <class T>
void wait_until(const char *call, volatile T *ivar, int cmp, T with) {
  check(call, cmp, ivar);
  if (compares(cmp, load(ivar), with)) return;
  need_symmetric(call, {const_cast<T *>(ivar), sizeof(T), "ivar"});
  wait_for(call, kWhat, [&] { return compares(cmp, load(ivar), with); });
}

template <class T>
int test(const char *call, volatile T *ivar, int cmp, T with) {
  check(call, cmp, ivar);
  if (compares(cmp, load(ivar), with)) return 1;
  poll(call);
  return compares(cmp, load(ivar), with) ? 1 : 0;
}

template <class T, class There>
void wait_for_some_of(const char *call, const Variables<T> &variables, There there) {
  if (there()) return;
  need_symmetric(call, {const_cast<T *>(variables.values), variables.count * sizeof(T), "ivars"});
  wait_for(call, kWhat, there);
}

template <class T>
void wait_until_all(const char *call, const Variables<T> &variables) {
  wait_for_some_of(call, variables, [&] { return variables.all(); });
}

template <class T>
std::size_t wait_until_any(const char *call, const Variables<T> &variables) {
  std::size_t found = SIZE_MAX;
  if (variables.none_counts()) return found;
  wait_for_some_of(call, variables, [&] { return (found = variables.any()) != SIZE_MAX; });
  return found;
}

template <class T>
std::size_t wait_until_some(const char *call, const Variables<T> &variables, std::size_t *indices) {
  std::size_t found = 0;
  if (variables.none_counts()) return found;
  wait_for_some_of(call, variables, [&] { return (found = variables.some(indices)) != 0; });
  return found;
}

template <class T>
int test_all(const char *call, const Variables<T> &variables) {
  poll(call);
  return variables.all() ? 1 : 0;
}

template <class T>
std::size_t test_any(const char *call, const Variables<T> &variables) {
  poll(call);
  return variables.any();
}

template <class T>
std::size_t test_some(const char *call, const Variables<T> &variables, std::size_t *indices) {
  poll(call);
  return variables.some(indices);
}

}  // namespace
}  // namespace halocline::core::shmem

using namespace halocline::core::shmem;

#define HLC_SHMEM_ONE(name, type)                                                 \
  void pshmem_##name##_wait_until(volatile type *ivar, int cmp, type cmp_value) { \
    wait_until<type>("shmem_" #name "_wait_until", ivar, cmp, cmp_value);         \
  }                                                                               \
  HLC_SHMEM_ALIAS(name##_wait_until);                                             \
  int pshmem_##name##_test(volatile type *ivar, int cmp, type cmp_value) {        \
    return test<type>("shmem_" #name "_test", ivar, cmp, cmp_value);              \
  }                                                                               \
  HLC_SHMEM_ALIAS(name##_test);

// The functions on several variables: all, any and some, compared with one value or, as vectors, with one each.
#define HLC_SHMEM_SEVERAL_OF(result, name, work, type, value, with, each)                        \
  result pshmem_##name(volatile type *ivars, size_t nelems, const int *status, int cmp, value) { \
    constexpr const char *call = "shmem_" #name;                                                 \
    return work(call, variables_of<type>(call, ivars, nelems, status, cmp, with, each));         \
  }                                                                                              \
  HLC_SHMEM_ALIAS(name);
#define HLC_SHMEM_SOME_OF(name, work, type, value, with, each)                                                           \
  size_t pshmem_##name(volatile type *ivars, size_t nelems, size_t *indices, const int *status, int cmp, value) {        \
    constexpr const char *call = "shmem_" #name;                                                                         \
    return work(call, variables_of<type>(call, ivars, nelems, status, cmp, with, each), checked(call, indices, nelems)); \
  }                                                                                                                      \
  HLC_SHMEM_ALIAS(name);
#define HLC_SHMEM_SEVERAL(name, type)                                                                                  \
  HLC_SHMEM_SEVERAL_OF(void, name##_wait_until_all, wait_until_all, type, type cmp_value, &cmp_value, false)           \
  HLC_SHMEM_SEVERAL_OF(size_t, name##_wait_until_any, wait_until_any, type, type cmp_value, &cmp_value, false)         \
  HLC_SHMEM_SOME_OF(name##_wait_until_some, wait_until_some, type, type cmp_value, &cmp_value, false)                  \
  HLC_SHMEM_SEVERAL_OF(int, name##_test_all, test_all, type, type cmp_value, &cmp_value, false)                        \
  HLC_SHMEM_SEVERAL_OF(size_t, name##_test_any, test_any, type, type cmp_value, &cmp_value, false)                     \
  HLC_SHMEM_SOME_OF(name##_test_some, test_some, type, type cmp_value, &cmp_value, false)                              \
  HLC_SHMEM_SEVERAL_OF(void, name##_wait_until_all_vector, wait_until_all, type, type *cmp_values, cmp_values, true)   \
  HLC_SHMEM_SEVERAL_OF(size_t, name##_wait_until_any_vector, wait_until_any, type, type *cmp_values, cmp_values, true) \
  HLC_SHMEM_SOME_OF(name##_wait_until_some_vector, wait_until_some, type, type *cmp_values, cmp_values, true)          \
  HLC_SHMEM_SEVERAL_OF(int, name##_test_all_vector, test_all, type, type *cmp_values, cmp_values, true)                \
  HLC_SHMEM_SEVERAL_OF(size_t, name##_test_any_vector, test_any, type, type *cmp_values, cmp_values, true)             \
  HLC_SHMEM_SOME_OF(name##_test_some_vector, test_some, type, type *cmp_values, cmp_values, true)

#define HLC_SHMEM_OLD_WAIT(name, type)                                       \
  void pshmem_##name##_wait(volatile type *ivar, type cmp_value) {           \
    wait_until<type>("shmem_" #name "_wait", ivar, SHMEM_CMP_NE, cmp_value); \
  }                                                                          \
  HLC_SHMEM_ALIAS(name##_wait);

extern "C" {

HLC_SHMEM_WAIT_TYPES(HLC_SHMEM_ONE)
HLC_SHMEM_WAIT_TYPES(HLC_SHMEM_SEVERAL)
HLC_SHMEM_OLD_WAIT_TYPES(HLC_SHMEM_OLD_WAIT)

void pshmem_wait(volatile long *ivar, long cmp_value) { wait_until("shmem_wait", ivar, SHMEM_CMP_NE, cmp_value); }

void pshmem_wait_until(volatile long *ivar, int cmp, long cmp_value) { wait_until("shmem_wait_until", ivar, cmp, cmp_value); }

uint64_t pshmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value) {
  constexpr const char *call = "shmem_signal_wait_until";
  check(call, cmp, sig_addr, "sig_addr");
  uint64_t value = load(sig_addr);
  if (compares(cmp, value, cmp_value)) return value;
  need_symmetric(call, {sig_addr, sizeof *sig_addr, "sig_addr"});
  wait_for(call, "a signal", [&] { return compares(cmp, value = load(sig_addr), cmp_value); });
  return value;
}

HLC_SHMEM_ALIAS(wait);
HLC_SHMEM_ALIAS(wait_until);
HLC_SHMEM_ALIAS(signal_wait_until);

}  // extern "C"
