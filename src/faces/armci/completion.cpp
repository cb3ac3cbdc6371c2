// Handles, waits, fences, the barrier, and notifications.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "engine/network/request_engine.hpp"
#include "engine/rma/operations.hpp"
#include "faces/armci/groups.hpp"
#include "faces/armci/handles.hpp"
#include "faces/armci/one_sided.hpp"
#include "faces/armci/profiling.hpp"

using namespace halocline::core::armci;
using halocline::core::Completion;
using halocline::core::CompletionSet;
using halocline::core::Status;

namespace {

void complete_all(Job &job, const char *call) {
  if (job.has_other_nodes()) settle(halocline::core::flush_local_all(call, job.context.network()));
}

void complete(Job &job, const char *call, int target) {
  if (target == kSeveral)
    complete_all(job, call);
  else if (target != kNone)
    complete_local(job, call, target);
}

bool is_process(const Job &job, const char *call, const armci_hdl_t *handle) {
  if (handle->target >= kSeveral && handle->target < job.size()) return true;
  end_all_with("%s on rank %d: the handle has not been initialised; call ARMCI_INIT_HANDLE first", call, job.rank());
}

/// Whether what has been begun to other nodes is complete here.
bool is_complete(Job &job, const char *call, int target) {
  job.context.network().poll();
  CompletionSet requests(Completion::local);
  for (int proc = 0; proc < job.size(); ++proc)
    if (!job.is_on_node(proc) && (target == kSeveral || proc == target)) requests.note(proc);
  const Status found = requests.look(job.context.network().requests(), call);
  settle(found);
  return found == Status::ok;
}

std::uint64_t &count_in(const halocline::core::LocalMemory &memory, int proc) {
  return *reinterpret_cast<std::uint64_t *>(memory.data() + ControlPlan::notified(proc));
}

void publish_count(Job &job, const char *call, int proc, std::uint64_t count) {
  halocline::core::RemoteMemory *part = nullptr;
  settle(job.control.find(proc, &part));
  const std::int64_t offset = ControlPlan::notified(job.rank());
  if (part->data()) {
    // SYNC data-before-notified (pairs with armci_notify_wait)
    std::atomic_ref(*reinterpret_cast<std::uint64_t *>(part->data() + offset)).store(count, std::memory_order_release);
    return;
  }
  settle(halocline::core::put(call, {*part, offset}, {&count, sizeof count}));
  settle(halocline::core::flush_local(call, *part));
}

}  // namespace

extern "C" {

void ARMCI_INIT_HANDLE(armci_hdl_t *hdl) {
  if (hdl) *hdl = {kNone, 0};
}

void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *hdl) {
  need_argument("ARMCI_SET_AGGREGATE_HANDLE", "hdl", hdl);
  *hdl = {kNone, 1};
}

void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *hdl) {
  need_argument("ARMCI_UNSET_AGGREGATE_HANDLE", "hdl", hdl);
  hdl->aggregate = 0;
}

int PARMCI_Wait(armci_hdl_t *hdl) {
  constexpr const char *call = "ARMCI_Wait";
  return enter(call, [&](Job &job) {
    if (!hdl) {
      complete_all(job, call);
      return 0;
    }
    if (is_process(job, call, hdl)) complete(job, call, hdl->target);
    hdl->target = kNone;
    return 0;
  });
}

int PARMCI_Test(armci_hdl_t *hdl) {
  constexpr const char *call = "ARMCI_Test";
  return enter(call, [&](Job &job) {
    const int target = hdl && is_process(job, call, hdl) ? hdl->target : kSeveral;
    if (!job.has_other_nodes() || target == kNone) return 0;
    if (!is_complete(job, call, target)) return 1;
    if (hdl) hdl->target = kNone;
    return 0;
  });
}

int PARMCI_WaitProc(int proc) {
  constexpr const char *call = "ARMCI_WaitProc";
  return enter(call, [&](Job &job) {
    if (const int code = check_proc(job, call, proc, FAIL)) return code;
    complete_local(job, call, proc);
    return 0;
  });
}

int PARMCI_WaitAll(void) {
  constexpr const char *call = "ARMCI_WaitAll";
  return enter(call, [&](Job &job) {
    complete_all(job, call);
    return 0;
  });
}

void PARMCI_Fence(int proc) {
  constexpr const char *call = "ARMCI_Fence";
  enter(call, [&](Job &job) {
    if (proc < 0 || proc >= job.size())
      end_all_with("%s on rank %d: proc is %d but must be 0 to %d", call, job.rank(), proc, job.size() - 1);
    job.fence(call, proc);
  });
}

void PARMCI_AllFence(void) {
  constexpr const char *call = "ARMCI_AllFence";
  enter(call, [&](Job &job) { job.fence(call); });
}

void PARMCI_Barrier(void) {
  constexpr const char *call = "ARMCI_Barrier";
  enter(call, [&](Job &job) {
    job.fence(call);
    job.barrier(call);
  });
}

void PARMCI_Access_begin(void *) { std::atomic_thread_fence(std::memory_order_seq_cst); }
void PARMCI_Access_end(void *) { std::atomic_thread_fence(std::memory_order_seq_cst); }

int parmci_notify(int proc) {
  constexpr const char *call = "armci_notify";
  return enter(call, [&](Job &job) {
    if (const int code = check_proc(job, call, proc, FAIL)) return code;
    job.fence(call, proc);
    const std::uint64_t count = ++job.notified[static_cast<std::size_t>(proc)];
    publish_count(job, call, proc, count);
    return static_cast<int>(count);
  });
}

int parmci_notify_wait(int proc, int *pval) {
  constexpr const char *call = "armci_notify_wait";
  return enter(call, [&](Job &job) {
    if (const int code = check_proc(job, call, proc, FAIL)) return code;
    const std::uint64_t wanted = ++job.seen[static_cast<std::size_t>(proc)];
    std::uint64_t &count = count_in(job.control.mine(), proc);
    settle(await(job, call, [&] {
      // SYNC data-before-notified (pairs with publish_count)
      return std::atomic_ref(count).load(std::memory_order_acquire) >= wanted ? Status::ok : Status::again;
    }));
    if (pval) *pval = static_cast<int>(wanted);
    return 0;
  });
}

decltype(parmci_notify) armci_notify __attribute__((weak, alias("parmci_notify")));
decltype(parmci_notify_wait) armci_notify_wait __attribute__((weak, alias("parmci_notify_wait")));
HLC_ARMCI_ALIAS(Wait);
HLC_ARMCI_ALIAS(Test);
HLC_ARMCI_ALIAS(WaitProc);
HLC_ARMCI_ALIAS(WaitAll);
HLC_ARMCI_ALIAS(Fence);
HLC_ARMCI_ALIAS(AllFence);
HLC_ARMCI_ALIAS(Barrier);
HLC_ARMCI_ALIAS(Access_begin);
HLC_ARMCI_ALIAS(Access_end);

}  // extern "C"
