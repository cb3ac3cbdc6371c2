// Making, listing and completing contexts.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/context.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "engine/network/request_engine.hpp"
#include "engine/rma/operations.hpp"
#include "faces/shmem/job.hpp"

namespace halocline::core::shmem {
namespace {

std::mutex mutex;  // of what follows
std::vector<std::unique_ptr<ContextState>> contexts;
// Their memory stays, so that a later use is recognised. The longest unused is used anew.
std::deque<std::unique_ptr<ContextState>> destroyed;
constexpr std::size_t kMarked = 64;

shmem_ctx_t handle_of(ContextState &context) { return reinterpret_cast<shmem_ctx_t>(&context); }

/// Memory for a context: that of a destroyed one, if there are many of these.
std::unique_ptr<ContextState> memory_of_context() {
  if (destroyed.size() < kMarked) return std::make_unique<ContextState>();
  std::unique_ptr<ContextState> used = std::move(destroyed.front());
  destroyed.pop_front();
  used->mark = ContextState::kOpen;
  used->far_used = 0;
  return used;
}

/// Inline functions of programs then make calls, which find the mark.
void mark_destroyed(std::unique_ptr<ContextState> context) {
  context->mark = ContextState::kDestroyed;
  context->of_world = 0;
  context->far_used = 1;
  destroyed.push_back(std::move(context));
}

}  // namespace

constinit ContextState default_context;

void stop_for_pe(const char *call, int pe, int size) {
  const Job *job = the_job();
  stop("%s on PE %d: pe is %d but must be 0 to %d", call, job ? job->rank() : -1, pe, size - 1);
}

void stop_for_context(const char *call, const ContextState &context) {
  const Job *job = the_job();
  stop("%s on PE %d: ctx %s", call, job ? job->rank() : -1,
       context.mark == ContextState::kDestroyed ? "has been destroyed" : "is not a context");
}

shmem_ctx_t make_context(long options, void *team, const PeMap &pes) {
  try {
    const std::lock_guard lock(mutex);
    auto made = memory_of_context();
    made->options = options;
    made->team = team;
    made->of_world = team ? 0 : 1;
    made->pes = pes;
    contexts.push_back(std::move(made));
    return handle_of(*contexts.back());
  } catch (const std::bad_alloc &) {
    return SHMEM_CTX_INVALID;
  }
}

void end_context(const char *call, shmem_ctx_t ctx) {
  quiet(call, state_of(call, ctx));
  const std::lock_guard lock(mutex);
  const auto found = std::find_if(contexts.begin(), contexts.end(), [&](const auto &context) { return handle_of(*context) == ctx; });
  if (found == contexts.end()) stop("%s on PE %d: ctx is not a context, or has been destroyed", call, need_job(call).rank());
  mark_destroyed(std::move(*found));
  contexts.erase(found);
}

void end_contexts_of(const char *call, const void *team) {
  const std::lock_guard lock(mutex);
  std::erase_if(contexts, [&](auto &context) {
    if (team && context->team != team) return false;
    quiet(call, *context);
    mark_destroyed(std::move(context));
    return true;
  });
}

void quiet(const char *call, ContextState &context) {
  // SYNC put-before-flush (pairs with the message that tells the target): also a later get does not pass an earlier put.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!context.is_far_used()) return;
  context.complete([call] {
    Network &network = need_job(call).context.network();
    must(flush_all(call, network));
    // Also what signals and notifications without a reply have changed.
    must(network.requests()->confirm_all(call));
  });
}

}  // namespace halocline::core::shmem

using namespace halocline::core::shmem;

extern "C" {

int pshmem_ctx_create(long options, shmem_ctx_t *ctx) {
  constexpr const char *call = "shmem_ctx_create";
  constexpr long known = SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE;
  const Job &job = need_job(call);
  if (!ctx) stop("%s on PE %d: ctx is NULL", call, job.rank());
  if ((options & ~known) != 0)
    stop("%s on PE %d: options is %ld but must be a sum of SHMEM_CTX_SERIALIZED, _PRIVATE and _NOSTORE", call, job.rank(), options);
  *ctx = make_context(options, nullptr, {});
  return *ctx == SHMEM_CTX_INVALID ? 1 : 0;
}

void pshmem_ctx_destroy(shmem_ctx_t ctx) {
  constexpr const char *call = "shmem_ctx_destroy";
  const Job &job = need_job(call);
  if (ctx == SHMEM_CTX_INVALID) return;
  if (ctx == SHMEM_CTX_DEFAULT) stop("%s on PE %d: ctx is SHMEM_CTX_DEFAULT, which cannot be destroyed", call, job.rank());
  end_context(call, ctx);
}

int pshmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t *team) {
  constexpr const char *call = "shmem_ctx_get_team";
  const Job &job = need_job(call);
  if (!team) stop("%s on PE %d: team is NULL", call, job.rank());
  if (ctx == SHMEM_CTX_INVALID) {
    *team = SHMEM_TEAM_INVALID;
    return 1;
  }
  const ContextState &context = state_of(call, ctx);
  *team = context.team ? static_cast<shmem_team_t>(context.team) : SHMEM_TEAM_WORLD;
  return 0;
}

HLC_SHMEM_ALIAS(ctx_create);
HLC_SHMEM_ALIAS(ctx_destroy);
HLC_SHMEM_ALIAS(ctx_get_team);

}  // extern "C"
