// The names of calls, and the record of the call that this rank is in.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/communicator/call.hpp"

#include <cstdio>
#include <iterator>
#include <utility>

namespace halocline::core {
namespace {

constexpr const char *kNames[] = {"no blocking call",
                                  "hlc_init",
                                  "hlc_finalise",
                                  "hlc_field_alloc",
                                  "hlc_grid_reorder",
                                  "hlc_refuse",
                                  "hlc_halo_init",
                                  "hlc_halo_finalise",
                                  "hlc_index_halo_init",
                                  "hlc_index_halo_finalise",
                                  "hlc_blocks_init",
                                  "hlc_blocks_finalise",
                                  "hlc_exchange_create",
                                  "hlc_exchange_destroy",
                                  "hlc_allreduce_create",
                                  "hlc_allreduce_destroy",
                                  "hlc_segment_create",
                                  "hlc_segment_free",
                                  "hlc_sparse_create",
                                  "hlc_sparse_destroy",
                                  "a swap",
                                  "hlc_allreduce_run",
                                  "hlc_sparse_finish",
                                  "hlc_barrier",
                                  "hlc_notify_wait",
                                  "gaspi_proc_init",
                                  "gaspi_proc_term",
                                  "shmem_init",
                                  "shmem_finalize",
                                  "ARMCI_Init",
                                  "ARMCI_Finalize"};
static_assert(std::size(kNames) == static_cast<std::size_t>(CallName::count_));

}  // namespace

const char *name_of(CallName name) {
  const auto index = static_cast<std::size_t>(name);
  return index < std::size(kNames) ? kNames[index] : "another call";
}

CallWord CallWord::unpacked(std::int64_t packed) { return {static_cast<CallName>(packed % 256), packed / 256}; }

bool CallWord::ends(std::int64_t of_plan) const {
  switch (name) {
    case CallName::halo_finalise:
    case CallName::index_halo_finalise:
    case CallName::blocks_finalise:
    case CallName::exchange_destroy: return plan == of_plan;
    default: return false;
  }
}

void CallWord::write(char *text, std::size_t bytes) const {
  if (plan > 0)
    std::snprintf(text, bytes, "%s of plan %lld", name_of(name), static_cast<long long>(plan));
  else
    std::snprintf(text, bytes, "%s", name_of(name));
}

std::string CallWord::text() const {
  char text[64];
  write(text, sizeof text);
  return text;
}

CallWord CallState::enter(CallWord call) {
  const std::lock_guard lock(mutex_);
  const CallWord before = std::exchange(collective_, call);
  publish();
  return before;
}

bool CallState::enter_wait(CallWord wait) {
  const std::lock_guard lock(mutex_);
  if (wait_.name != CallName::none) return false;
  wait_ = wait;
  publish();
  return true;
}

void CallState::leave_wait() {
  const std::lock_guard lock(mutex_);
  wait_ = {};
  publish();
}

/// The lock is held.
void CallState::publish() {
  const CallWord word = collective_.name == CallName::none ? wait_ : collective_;
  published_.store(word.packed(), std::memory_order_relaxed);
  if (doorbell_.attached()) doorbell_.enter(word.packed());
}

}  // namespace halocline::core
