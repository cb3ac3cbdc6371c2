// Contexts: OpenSHMEM 1.5, section 9.5. A context knows which of its operations went to other nodes, and to which PEs its numbers refer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "faces/shmem/failure.hpp"
#include "faces/shmem/interface.hpp"

namespace halocline::core::shmem {

/// The PEs of a team as PEs of the world: every team is such a sequence.
struct PeMap {
  int first = 0, stride = 1, size = 0;

  bool contains(int pe) const { return static_cast<unsigned>(pe) < static_cast<unsigned>(size); }
  int to_world(int pe) const { return first + pe * stride; }
};

/// A context. Any thread, unless the program has promised otherwise; an operation never waits for another thread's. It begins with what
/// inline functions of programs read: `far_used` is set after an operation has begun, `of_world` where there is no team.
struct ContextState : shmem_ctx_s {
  static constexpr std::uint32_t kOpen = 0x5c0c7e87, kDestroyed = 0xdead5c0c;

  std::uint32_t mark = kOpen;
  long options = 0;
  void *team = nullptr;  // a shmem_team_t; null: that of the world
  PeMap pes;

  constexpr ContextState() : shmem_ctx_s{0, 1} {}

  bool is_far_used() { return std::atomic_ref(far_used).load(std::memory_order_acquire) != kComplete; }
  /// After an operation that went to another node has begun.
  void note_far() { std::atomic_ref(far_used).store(kBegun, std::memory_order_release); }

  /// Calls flush(), which completes what has begun, unless nothing has. A thread that finds another one in it waits for that.
  template <class Flush>
  void complete(Flush flush) {
    const std::lock_guard lock(completing);
    const std::atomic_ref state(far_used);
    if (state.load(std::memory_order_acquire) == kComplete) return;
    state.store(kFlushed, std::memory_order_seq_cst);
    flush();
    // What another thread has begun meanwhile may not be complete, and has changed the state.
    unsigned char expected = kFlushed;
    state.compare_exchange_strong(expected, kComplete, std::memory_order_acq_rel);
  }

 private:
  static constexpr unsigned char kComplete = 0, kBegun = 1, kFlushed = 2;
  std::mutex completing;
};

/// SHMEM_CTX_DEFAULT.
extern constinit ContextState default_context;

[[noreturn, gnu::cold]] void stop_for_context(const char *call, const ContextState &context);

/// The state of a context; ends the job for SHMEM_CTX_INVALID, for one that was destroyed, and for readable memory that is none.
inline ContextState &state_of(const char *call, shmem_ctx_t ctx) {
  if (ctx == SHMEM_CTX_DEFAULT) return default_context;
  if (ctx == SHMEM_CTX_INVALID) [[unlikely]]
    stop("%s: ctx is SHMEM_CTX_INVALID but must be a context", call);
  auto &context = *reinterpret_cast<ContextState *>(ctx);
  if (context.mark != ContextState::kOpen) [[unlikely]]
    stop_for_context(call, context);
  return context;
}

[[noreturn, gnu::cold]] void stop_for_pe(const char *call, int pe, int size);

/// The PE of the world that a context's number refers to. Numbers of the default context are not checked here.
inline int to_world(const char *call, const ContextState &context, int pe) {
  if (!context.team) return pe;
  if (!context.pes.contains(pe)) [[unlikely]]
    stop_for_pe(call, pe, context.pes.size);
  return context.pes.to_world(pe);
}

/// Makes a context; SHMEM_CTX_INVALID if memory has run out. `team` is null for the world.
shmem_ctx_t make_context(long options, void *team, const PeMap &pes);
/// Ends a context once its operations are complete.
void end_context(const char *call, shmem_ctx_t ctx);
/// Ends all contexts that are left, of one team or, for null, all.
void end_contexts_of(const char *call, const void *team);

/// Completes the operations of a context: they are visible to all PEs.
void quiet(const char *call, ContextState &context);

}  // namespace halocline::core::shmem
