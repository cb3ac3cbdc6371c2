// Copies to and from memory that the fast path does not reach.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/move.hpp"

#include "engine/network/request_pool.hpp"
#include "faces/shmem/place.hpp"

namespace halocline::core::shmem {
namespace {

/// Bytes that no memory has, as one number that the engine takes.
std::int64_t signed_of(std::size_t bytes) { return static_cast<std::int64_t>(bytes); }

/// Nothing is copied, but the PE has to be one.
bool is_nothing(const char *call, const Move &move) {
  if (move.bytes > 0) return false;
  const Job &job = need_job(call);
  if (move.pe < 0 || move.pe >= job.size()) stop_for_pe(call, move.pe, job.size());
  return true;
}

}  // namespace

void put_elsewhere(const char *call, ContextState &context, const Move &move, Returns returns) {
  if (is_nothing(call, move)) return;
  if (!move.source) stop_for_null(call, "source");
  const Symmetric dest{move.dest, move.bytes, "dest"};
  if (char *place = mapped_place(call, dest, move.pe)) {
    std::memcpy(place, move.source, move.bytes);
    return;
  }
  with_target(call, dest, move.pe, [&](Target to) {
    HLC_TRY(put(call, to, {move.source, signed_of(move.bytes)}));
    context.note_far();
    // Of a short put the engine has a copy.
    return returns == Returns::when_reusable && signed_of(move.bytes) > Request::kShort ? flush_local(call, to.memory) : Status::ok;
  });
}

void get_elsewhere(const char *call, ContextState &context, const Move &move, Returns returns) {
  if (is_nothing(call, move)) return;
  if (!move.dest) stop_for_null(call, "dest");
  const Symmetric source{move.source, move.bytes, "source"};
  if (const char *place = mapped_place(call, source, move.pe)) {
    std::memcpy(move.dest, place, move.bytes);
    return;
  }
  with_target(call, source, move.pe, [&](Target from) {
    HLC_TRY(get(call, from, {move.dest, signed_of(move.bytes)}));
    if (returns == Returns::when_reusable) return flush_local(call, from.memory);
    context.note_far();
    return Status::ok;
  });
}

}  // namespace halocline::core::shmem
