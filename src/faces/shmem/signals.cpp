// OpenSHMEM 1.5, section 9.8: puts with a signal. The names of the typed and sized functions are made by the macros below from type_lists.hpp;
// halocline/shmem/signal.h has each written out.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "engine/network/request_pool.hpp"
#include "faces/shmem/move.hpp"
#include "faces/shmem/place.hpp"
#include "faces/shmem/type_lists.hpp"

namespace halocline::core::shmem {
namespace {

/// A put that updates a signal of the same PE once its data are there.
struct SignalledMove {
  Move data;
  std::uint64_t *signal;
  std::uint64_t value;
  int operation;
};

void check(const char *call, const SignalledMove &move) {
  const Job &job = need_job(call);
  if (move.operation != SHMEM_SIGNAL_SET && move.operation != SHMEM_SIGNAL_ADD)
    stop("%s on PE %d: sig_op is %d but must be SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", call, job.rank(), move.operation);
  if (reinterpret_cast<std::uintptr_t>(move.signal) % sizeof *move.signal != 0)
    stop("%s on PE %d: sig_addr is %p but must be a multiple of %zu", call, job.rank(), static_cast<void *>(move.signal),
         sizeof *move.signal);
}

/// Updates a signal of this node.
inline void update(char *place, const SignalledMove &move) {
  const std::atomic_ref signal(*reinterpret_cast<std::uint64_t *>(place));
  // SYNC data-before-signal (pairs with shmem_signal_fetch and shmem_signal_wait_until)
  if (move.operation == SHMEM_SIGNAL_SET)
    signal.store(move.value, std::memory_order_release);
  else
    signal.fetch_add(move.value, std::memory_order_release);
}

/// To another node: the engine puts the data and then changes the signal, with an atomic instruction there. A quiet waits for both. The source of
/// a call that returns when it is reusable is copied up to 16 KiB: waiting until it has left takes longer.
void put_far(const char *call, const SignalledMove &move, Returns returns) {
  const std::size_t bytes = move.data.bytes;
  if (bytes > 0 && !move.data.source) stop_for_null(call, "source");
  const std::int64_t to = bytes > 0 ? find_offset(call, {move.data.dest, bytes, "dest"}, move.data.pe) : 0;
  const NumberChange change{.offset = find_offset(call, {move.signal, sizeof *move.signal, "sig_addr"}, move.data.pe),
                            .action = {move.operation == SHMEM_SIGNAL_SET ? HLC_OP_REPLACE : HLC_OP_SUM, HLC_NUMBER_UINT64},
                            .operand = move.value};
  const bool is_brief = returns == Returns::when_reusable;
  must(need_job(call).segment->with(call, move.data.pe, [&](const RemoteMemory &memory) {
    HLC_TRY(put_and_change(call, Target{memory, to}, {move.data.source, static_cast<std::int64_t>(bytes), is_brief}, change));
    return is_brief && static_cast<std::int64_t>(bytes) > Request::kShort ? flush_local(call, memory) : Status::ok;
  }));
}

/// What the fast path does not do.
void put_signal_elsewhere(const char *call, ContextState &context, const SignalledMove &move, Returns returns) {
  check(call, move);
  const Symmetric signal{move.signal, sizeof *move.signal, "sig_addr"};
  if (char *mapped = mapped_place(call, signal, move.data.pe)) {
    put_elsewhere(call, context, move.data, returns);
    return update(mapped, move);
  }
  put_far(call, move, returns);
  context.note_far();
}

inline void put_signal(const char *call, ContextState &context, const SignalledMove &move, Returns returns) {
  char *place = near_place(move.data.dest, move.data.bytes, move.data.pe);
  char *signal = near_place(move.signal, sizeof *move.signal, move.data.pe);
  const bool is_usual = static_cast<unsigned>(move.operation) <= 1 && reinterpret_cast<std::uintptr_t>(signal) % sizeof *move.signal == 0;
  if (!place || !signal || !move.data.source || !is_usual) [[unlikely]]
    return put_signal_elsewhere(call, context, move, returns);
  std::memcpy(place, move.data.source, move.data.bytes);
  update(signal, move);
}

inline void put_signal_in(const char *call, shmem_ctx_t ctx, SignalledMove move, Returns returns) {
  ContextState &context = state_of(call, ctx);
  move.data.pe = to_world(call, context, move.data.pe);
  put_signal(call, context, move, returns);
}

constexpr Returns kReusable = Returns::when_reusable, kAtOnce = Returns::at_once;
static_assert(SHMEM_SIGNAL_SET == 0 && SHMEM_SIGNAL_ADD == 1);

}  // namespace
}  // namespace halocline::core::shmem

using namespace halocline::core::shmem;

// NAME(type *dest, const type *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe), without and with a context.
#define HLC_SHMEM_SIGNAL(name, type, bytes, returns)                                                                                      \
  void pshmem_##name(type *dest, const type *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) {            \
    put_signal("shmem_" #name, default_context, {{dest, source, bytes, pe}, sig_addr, signal, sig_op}, returns);                          \
  }                                                                                                                                       \
  HLC_SHMEM_ALIAS(name);                                                                                                                  \
  void pshmem_ctx_##name(shmem_ctx_t ctx, type *dest, const type *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, \
                         int pe) {                                                                                                        \
    put_signal_in("shmem_ctx_" #name, ctx, {{dest, source, bytes, pe}, sig_addr, signal, sig_op}, returns);                               \
  }                                                                                                                                       \
  HLC_SHMEM_ALIAS(ctx_##name);

#define HLC_SHMEM_TYPED(name, type)                                                    \
  HLC_SHMEM_SIGNAL(name##_put_signal, type, bytes_of(nelems, sizeof(type)), kReusable) \
  HLC_SHMEM_SIGNAL(name##_put_signal_nbi, type, bytes_of(nelems, sizeof(type)), kAtOnce)
#define HLC_SHMEM_SIZED(bits, octets)                                             \
  HLC_SHMEM_SIGNAL(put##bits##_signal, void, bytes_of(nelems, octets), kReusable) \
  HLC_SHMEM_SIGNAL(put##bits##_signal_nbi, void, bytes_of(nelems, octets), kAtOnce)

extern "C" {

HLC_SHMEM_RMA_TYPES(HLC_SHMEM_TYPED)
HLC_SHMEM_SIZES(HLC_SHMEM_SIZED)
HLC_SHMEM_SIGNAL(putmem_signal, void, nelems, kReusable)
HLC_SHMEM_SIGNAL(putmem_signal_nbi, void, nelems, kAtOnce)

uint64_t pshmem_signal_fetch(const uint64_t *sig_addr) {
  need_open("shmem_signal_fetch");
  if (!sig_addr) [[unlikely]]
    stop_for_null("shmem_signal_fetch", "sig_addr");
  poll_sometimes();
  // SYNC data-before-signal (pairs with put_signal)
  return std::atomic_ref(*const_cast<uint64_t *>(sig_addr)).load(std::memory_order_acquire);
}

HLC_SHMEM_ALIAS(signal_fetch);

}  // extern "C"
