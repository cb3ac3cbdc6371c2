// Read-modify-write: on the node an instruction of the processor.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cstring>

#include "engine/rma/operations.hpp"
#include "faces/armci/one_sided.hpp"
#include "faces/armci/profiling.hpp"

using namespace halocline::core::armci;
using halocline::core::Target;

namespace {

constexpr const char *kCall = "ARMCI_Rmw";

struct Rmw {
  void *local;
  void *remote;
  int value;
  int proc;
  bool swaps;
};

/// As both other nodes' and this node's atomics do, integers wrap around.
template <class T>
void change_here(char *place, const Rmw &rmw) {
  const std::atomic_ref<T> number(*reinterpret_cast<T *>(place));
  T old;
  if (rmw.swaps) {
    std::memcpy(&old, rmw.local, sizeof old);
    old = number.exchange(old, std::memory_order_seq_cst);
  } else {
    old = number.fetch_add(static_cast<T>(rmw.value), std::memory_order_seq_cst);
  }
  std::memcpy(rmw.local, &old, sizeof old);
}

template <class T>
void change_far(Job &job, const Place &place, const Rmw &rmw) {
  const Target at{*place.memory, place.offset};
  settle(job.unordered.begin(kCall, at, {0, sizeof(T)}, Access::read));
  T operand = static_cast<T>(rmw.value);
  if (rmw.swaps) std::memcpy(&operand, rmw.local, sizeof operand);
  const hlc_action action{rmw.swaps ? HLC_OP_REPLACE : HLC_OP_SUM, sizeof(T) == 8 ? HLC_NUMBER_INT64 : HLC_NUMBER_INT32};
  std::int64_t old = 0;
  settle(halocline::core::fetch_word(kCall, at, action, operand, &old));
  const T result = static_cast<T>(old);
  std::memcpy(rmw.local, &result, sizeof result);
}

template <class T>
int change(Job &job, const Rmw &rmw) {
  if (reinterpret_cast<std::uintptr_t>(rmw.remote) % sizeof(T) != 0)
    return refuse(FAIL2, "%s on rank %d: prem is %p but must be aligned to %zu bytes", kCall, job.rank(), rmw.remote, sizeof(T));
  Place place;
  if (const int code = find_place(job, kCall, {rmw.remote, rmw.proc, {0, sizeof(T)}}, &place)) return code;
  if (place.here)
    change_here<T>(place.here, rmw);
  else
    change_far<T>(job, place, rmw);
  return 0;
}

}  // namespace

extern "C" {

int PARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc) {
  return enter(kCall, [&](Job &job) {
    if (const int code = check_proc(job, kCall, proc, FAIL5)) return code;
    if (const int code = check_address(job, kCall, "ploc", ploc)) return code;
    if (const int code = check_address(job, kCall, "prem", prem)) return code;
    switch (op) {
      case ARMCI_FETCH_AND_ADD: return change<int>(job, {ploc, prem, value, proc, false});
      case ARMCI_FETCH_AND_ADD_LONG: return change<long>(job, {ploc, prem, value, proc, false});
      case ARMCI_SWAP: return change<int>(job, {ploc, prem, value, proc, true});
      case ARMCI_SWAP_LONG: return change<long>(job, {ploc, prem, value, proc, true});
      default:
        return refuse(FAIL6, "%s on rank %d: op is %d but must be one of ARMCI_FETCH_AND_ADD to ARMCI_SWAP_LONG", kCall, job.rank(), op);
    }
  });
}

HLC_ARMCI_ALIAS(Rmw);

}  // extern "C"
