// OpenSHMEM 1.5, section 9.6: put and get, contiguous, of one element, and non-blocking. The names of the typed and sized functions, such as
// shmem_int_put and shmem_ctx_put64_nbi, are made by the macros below from type_lists.hpp; halocline/shmem/rma.h has each written out.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/move.hpp"
#include "faces/shmem/type_lists.hpp"

using namespace halocline::core::shmem;

namespace {

/// A context and the PE of the world that a number means in it.
struct Peer {
  ContextState &context;
  int pe;
};

inline Peer in_context(const char *call, shmem_ctx_t ctx, int pe) {
  ContextState &context = state_of(call, ctx);
  return {context, to_world(call, context, pe)};
}

constexpr Returns kReusable = Returns::when_reusable, kAtOnce = Returns::at_once;

}  // namespace

// A function that copies `bytes`, without and with a context: NAME(type *dest, const type *source, size_t nelems, int pe).
#define HLC_SHMEM_COPY(name, type, bytes, copy, returns)                                           \
  void pshmem_##name(type *dest, const type *source, size_t nelems, int pe) {                      \
    copy("shmem_" #name, default_context, {dest, source, bytes, pe}, returns);                     \
  }                                                                                                \
  HLC_SHMEM_ALIAS(name);                                                                           \
  void pshmem_ctx_##name(shmem_ctx_t ctx, type *dest, const type *source, size_t nelems, int pe) { \
    const Peer peer = in_context("shmem_ctx_" #name, ctx, pe);                                     \
    copy("shmem_ctx_" #name, peer.context, {dest, source, bytes, peer.pe}, returns);               \
  }                                                                                                \
  HLC_SHMEM_ALIAS(ctx_##name);

#define HLC_SHMEM_TYPED(name, type)                                                        \
  HLC_SHMEM_COPY(name##_put, type, bytes_of(nelems, sizeof(type)), put_bytes, kReusable)   \
  HLC_SHMEM_COPY(name##_get, type, bytes_of(nelems, sizeof(type)), get_bytes, kReusable)   \
  HLC_SHMEM_COPY(name##_put_nbi, type, bytes_of(nelems, sizeof(type)), put_bytes, kAtOnce) \
  HLC_SHMEM_COPY(name##_get_nbi, type, bytes_of(nelems, sizeof(type)), get_bytes, kAtOnce)

#define HLC_SHMEM_SIZED(bits, octets)                                                 \
  HLC_SHMEM_COPY(put##bits, void, bytes_of(nelems, octets), put_bytes, kReusable)     \
  HLC_SHMEM_COPY(get##bits, void, bytes_of(nelems, octets), get_bytes, kReusable)     \
  HLC_SHMEM_COPY(put##bits##_nbi, void, bytes_of(nelems, octets), put_bytes, kAtOnce) \
  HLC_SHMEM_COPY(get##bits##_nbi, void, bytes_of(nelems, octets), get_bytes, kAtOnce)

#define HLC_SHMEM_ONE(name, type)                                                                                            \
  void pshmem_##name##_p(type *dest, type value, int pe) { put_one("shmem_" #name "_p", default_context, dest, value, pe); } \
  HLC_SHMEM_ALIAS(name##_p);                                                                                                 \
  type pshmem_##name##_g(const type *source, int pe) { return get_one("shmem_" #name "_g", default_context, source, pe); }   \
  HLC_SHMEM_ALIAS(name##_g);                                                                                                 \
  void pshmem_ctx_##name##_p(shmem_ctx_t ctx, type *dest, type value, int pe) {                                              \
    const Peer peer = in_context("shmem_ctx_" #name "_p", ctx, pe);                                                          \
    put_one("shmem_ctx_" #name "_p", peer.context, dest, value, peer.pe);                                                    \
  }                                                                                                                          \
  HLC_SHMEM_ALIAS(ctx_##name##_p);                                                                                           \
  type pshmem_ctx_##name##_g(shmem_ctx_t ctx, const type *source, int pe) {                                                  \
    const Peer peer = in_context("shmem_ctx_" #name "_g", ctx, pe);                                                          \
    return get_one("shmem_ctx_" #name "_g", peer.context, source, peer.pe);                                                  \
  }                                                                                                                          \
  HLC_SHMEM_ALIAS(ctx_##name##_g);

extern "C" {

HLC_SHMEM_RMA_TYPES(HLC_SHMEM_TYPED)
HLC_SHMEM_RMA_TYPES(HLC_SHMEM_ONE)
HLC_SHMEM_SIZES(HLC_SHMEM_SIZED)
HLC_SHMEM_COPY(putmem, void, nelems, put_bytes, kReusable)
HLC_SHMEM_COPY(getmem, void, nelems, get_bytes, kReusable)
HLC_SHMEM_COPY(putmem_nbi, void, nelems, put_bytes, kAtOnce)
HLC_SHMEM_COPY(getmem_nbi, void, nelems, get_bytes, kAtOnce)

}  // extern "C"
