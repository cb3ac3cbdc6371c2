// OpenSHMEM 1.5, section 9.11: memory ordering. On the node operations are complete when they return; between nodes puts may overtake each
// other, so that a fence has to wait for them as quiet does.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/context.hpp"
#include "faces/shmem/job.hpp"
#include "faces/shmem/near.hpp"

namespace halocline::core::shmem {
namespace {

inline void fence(const char *call, ContextState &context) {
  need_open(call);
  // SYNC put-before-flush (pairs with the message that tells the target)
  std::atomic_thread_fence(std::memory_order_release);
  if (context.is_far_used()) [[unlikely]]
    quiet(call, context);
}

inline void quiet_inline(const char *call, ContextState &context) {
  need_open(call);
  // SYNC put-before-flush (pairs with the message that tells the target): also a later get does not pass an earlier put.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (context.is_far_used()) [[unlikely]]
    quiet(call, context);
}

}  // namespace
}  // namespace halocline::core::shmem

using namespace halocline::core::shmem;

extern "C" {

void pshmem_fence() { fence("shmem_fence", default_context); }

void pshmem_ctx_fence(shmem_ctx_t ctx) {
  if (ctx != SHMEM_CTX_INVALID) fence("shmem_ctx_fence", state_of("shmem_ctx_fence", ctx));
}

void pshmem_quiet() { quiet_inline("shmem_quiet", default_context); }

void pshmem_ctx_quiet(shmem_ctx_t ctx) {
  if (ctx != SHMEM_CTX_INVALID) quiet_inline("shmem_ctx_quiet", state_of("shmem_ctx_quiet", ctx));
}

HLC_SHMEM_ALIAS(fence);
HLC_SHMEM_ALIAS(ctx_fence);
HLC_SHMEM_ALIAS(quiet);
HLC_SHMEM_ALIAS(ctx_quiet);

}  // extern "C"
