// OpenSHMEM 1.5, section 9.6: strided put and get. The names of the typed and sized functions are made by the macros below from type_lists.hpp;
// halocline/shmem/rma.h has each written out.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/move.hpp"
#include "faces/shmem/place.hpp"
#include "faces/shmem/type_lists.hpp"

namespace halocline::core::shmem {
namespace {

/// Elements with a distance on each side, counted in elements.
struct Strided {
  void *dest;
  const void *source;
  std::ptrdiff_t dest_stride, source_stride;
  std::size_t nelems, size;
  int pe;
};

/// Checks what does not depend on the path; false if there is nothing to do.
bool check(const char *call, const Strided &move) {
  const Job &job = need_job(call);
  if (move.pe < 0 || move.pe >= job.size()) stop_for_pe(call, move.pe, job.size());
  if (move.nelems == 0) return false;
  if (!move.dest) stop_for_null(call, "dest");
  if (!move.source) stop_for_null(call, "source");
  if (move.dest_stride < 1) stop("%s on PE %d: dst is %td but must be 1 or more", call, job.rank(), move.dest_stride);
  if (move.source_stride < 1) stop("%s on PE %d: sst is %td but must be 1 or more", call, job.rank(), move.source_stride);
  return true;
}

template <std::size_t size>
void copy_elements(char *to, const char *from, const Strided &move) {
  const std::ptrdiff_t to_step = move.dest_stride * static_cast<std::ptrdiff_t>(size),
                       from_step = move.source_stride * static_cast<std::ptrdiff_t>(size);
  for (std::size_t i = 0; i < move.nelems; ++i, to += to_step, from += from_step) std::memcpy(to, from, size);
}

/// Copies elements that are both mapped.
void copy_mapped(char *to, const char *from, const Strided &move) {
  if (move.dest_stride == 1 && move.source_stride == 1) {
    std::memcpy(to, from, move.nelems * move.size);
    return;
  }
  switch (move.size) {
    case 1: return copy_elements<1>(to, from, move);
    case 2: return copy_elements<2>(to, from, move);
    case 4: return copy_elements<4>(to, from, move);
    case 8: return copy_elements<8>(to, from, move);
    default: return copy_elements<16>(to, from, move);
  }
}

hlc_block block_of(const Strided &move, std::ptrdiff_t target_stride, std::ptrdiff_t local_stride) {
  hlc_block block{};
  block.ndims = 1;
  block.run_bytes = static_cast<std::int64_t>(move.size);
  block.count[0] = static_cast<std::int64_t>(move.nelems);
  block.target_stride[0] = target_stride * static_cast<std::int64_t>(move.size);
  block.local_stride[0] = local_stride * static_cast<std::int64_t>(move.size);
  return block;
}

void put_elements(const char *call, ContextState &context, const Strided &move) {
  if (!check(call, move)) return;
  const Symmetric dest{move.dest, bytes_of(move.nelems, move.dest_stride, move.size), "dest"};
  if (char *place = find_place(call, dest, move.pe)) return copy_mapped(place, static_cast<const char *>(move.source), move);
  with_target(call, dest, move.pe, [&](Target to) {
    const hlc_block block = block_of(move, move.dest_stride, move.source_stride);
    HLC_TRY(put_strided(call, to, move.source, &block));
    context.note_far();
    return flush_local(call, to.memory);
  });
}

void get_elements(const char *call, const Strided &move) {
  if (!check(call, move)) return;
  const Symmetric source{move.source, bytes_of(move.nelems, move.source_stride, move.size), "source"};
  if (const char *place = find_place(call, source, move.pe)) return copy_mapped(static_cast<char *>(move.dest), place, move);
  with_target(call, source, move.pe, [&](Target from) {
    const hlc_block block = block_of(move, move.source_stride, move.dest_stride);
    HLC_TRY(get_strided(call, from, move.dest, &block));
    return flush_local(call, from.memory);
  });
}

void put_in(const char *call, shmem_ctx_t ctx, Strided move) {
  ContextState &context = state_of(call, ctx);
  move.pe = to_world(call, context, move.pe);
  put_elements(call, context, move);
}

void get_in(const char *call, shmem_ctx_t ctx, Strided move) {
  move.pe = to_world(call, state_of(call, ctx), move.pe);
  get_elements(call, move);
}

}  // namespace
}  // namespace halocline::core::shmem

using namespace halocline::core::shmem;

// NAME(type *dest, const type *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe), without and with a context.
#define HLC_SHMEM_STRIDED(name, type, size, work)                                                                                \
  void pshmem_##name(type *dest, const type *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) {                      \
    work("shmem_" #name, SHMEM_CTX_DEFAULT, {dest, source, dst, sst, nelems, size, pe});                                         \
  }                                                                                                                              \
  HLC_SHMEM_ALIAS(name);                                                                                                         \
  void pshmem_ctx_##name(shmem_ctx_t ctx, type *dest, const type *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { \
    work("shmem_ctx_" #name, ctx, {dest, source, dst, sst, nelems, size, pe});                                                   \
  }                                                                                                                              \
  HLC_SHMEM_ALIAS(ctx_##name);

#define HLC_SHMEM_TYPED(name, type)                          \
  HLC_SHMEM_STRIDED(name##_iput, type, sizeof(type), put_in) \
  HLC_SHMEM_STRIDED(name##_iget, type, sizeof(type), get_in)
#define HLC_SHMEM_SIZED(bits, octets)                 \
  HLC_SHMEM_STRIDED(iput##bits, void, octets, put_in) \
  HLC_SHMEM_STRIDED(iget##bits, void, octets, get_in)

extern "C" {

HLC_SHMEM_RMA_TYPES(HLC_SHMEM_TYPED)
HLC_SHMEM_SIZES(HLC_SHMEM_SIZED)

}  // extern "C"
