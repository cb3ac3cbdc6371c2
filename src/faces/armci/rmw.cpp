// Read-modify-write: on the node an instruction of the processor, of which the usual case is reached without a call, so that no registers
// are saved.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cstring>

#include "engine/rma/operations.hpp"
#include "faces/armci/one_sided.hpp"
#include "faces/armci/profiling.hpp"

using namespace halocline::core::armci;
using halocline::core::mpi_has_ended;
using halocline::core::Target;
using halocline::core::Visit;
namespace visit_state = halocline::core::visit_state;

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
inline void change_here(char *place, const Rmw &rmw) {
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

/// A change of memory that an earlier call has found. False if it is not so simple, or an argument is wrong: nothing is done then.
template <class T>
inline bool change_known(const Job &job, const Rmw &rmw) {
  if (!rmw.local || !rmw.remote || reinterpret_cast<std::uintptr_t>(rmw.remote) % sizeof(T) != 0) return false;
  char *const place =
      rmw.proc == job.rank() ? static_cast<char *>(rmw.remote) : job.allocations.known_element(rmw.proc, rmw.remote, sizeof(T));
  if (!place) return false;
  change_here<T>(place, rmw);
  return true;
}

inline bool change_at_once(int op, Rmw rmw) {
  if (!visit_state::known) return false;
  const Visit visit;
  const Job *job = the_job();
  // Where there are other nodes, the call serves them.
  if (!job || mpi_has_ended() || job->has_other_nodes()) return false;
  if (rmw.proc < 0 || rmw.proc >= job->size()) return false;
  switch (op) {
    case ARMCI_FETCH_AND_ADD_LONG: return change_known<long>(*job, rmw);
    case ARMCI_FETCH_AND_ADD: return change_known<int>(*job, rmw);
    case ARMCI_SWAP_LONG: rmw.swaps = true; return change_known<long>(*job, rmw);
    case ARMCI_SWAP: rmw.swaps = true; return change_known<int>(*job, rmw);
    default: return false;
  }
}

[[gnu::noinline]] int change_anyhow(int op, void *ploc, void *prem, int value, int proc) {
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

}  // namespace

extern "C" {

int PARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc) {
  if (change_at_once(op, {ploc, prem, value, proc, false})) [[likely]]
    return 0;
  return change_anyhow(op, ploc, prem, value, proc);
}

HLC_ARMCI_ALIAS(Rmw);

}  // extern "C"
