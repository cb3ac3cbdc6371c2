// The C API of segments: each function checks its handle and calls one operation.
// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "api/handles.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/rma/operations.hpp"
#include "engine/sync/barrier.hpp"

namespace api = halocline::core::api;
using halocline::core::Call;
using halocline::core::CallName;
using halocline::core::fail;
using halocline::core::Segment;
using halocline::core::Status;

namespace {

constexpr int kMostFreed = 8;

Status check(const char *call, const hlc_segment *segment) {
  if (!segment) return api::null(call, "segment");
  return segment->inner ? Status::ok : fail(Status::state, "%s: the segment has been freed", call);
}

/// Calls an operation on the segment of a handle.
template <class Operation>
hlc_status on(const char *call, hlc_segment *segment, Operation operation) {
  if (!segment || !segment->inner) return api::out(check(call, segment));
  return api::out(operation(*segment->inner));
}

halocline::core::Target place(const hlc_target &target) { return {target.rank, target.offset}; }

/// Keeps an empty handle, and deletes the oldest if there are many.
void remember(hlc_context &context, std::unique_ptr<hlc_segment> segment) {
  segment->next = std::move(context.freed_segments);
  context.freed_segments = std::move(segment);
  if (++context.freed_count <= kMostFreed) return;
  hlc_segment *last_kept = context.freed_segments.get();
  for (int i = 1; i < kMostFreed; ++i) last_kept = last_kept->next.get();
  last_kept->next.reset();
  context.freed_count = kMostFreed;
}

}  // namespace

extern "C" {

hlc_status hlc_segment_create(hlc_context *context, const hlc_segment_spec *spec, hlc_segment **segment) {
  const char *call = name_of(CallName::segment_create);
  return api::guarded(call, [&]() -> Status {
    if (!context) return api::null(call, "context");
    HLC_TRY(api::mpi_is_up(call));
    halocline::core::Context &inner = context->inner;
    std::unique_ptr<hlc_segment> made;
    const Call in_call(inner, CallName::segment_create, inner.next_plan());
    HLC_TRY(halocline::core::meet(inner, halocline::core::alone(inner, [&] {
                                    if (!segment) return api::null_on(inner, call, "the result pointer");
                                    made = std::make_unique<hlc_segment>();
                                    made->context = context;
                                    made->inner = std::make_unique<Segment>(inner.network());
                                    return made->inner->check(spec);
                                  })));
    inner.count_plan();
    HLC_TRY(made->inner->create(spec));
    inner.live_plans += 1;
    *segment = made.release();
    return Status::ok;
  });
}

hlc_status hlc_segment_free(hlc_segment **segment) {
  const char *call = name_of(CallName::segment_free);
  return api::guarded(call, [&]() -> Status {
    if (!segment || !*segment) return Status::ok;
    HLC_TRY(check(call, *segment));
    hlc_context &context = *(*segment)->context;
    api::note_end_of_mpi(context.inner, call);
    Segment &inner = *(*segment)->inner;
    const Call in_call(context.inner, CallName::segment_free, inner.plan());
    int broken = 0;
    const Status met = halocline::core::meet_to_release(context.inner, inner.barriers.failed ? 1 : 0, &broken);
    if (met == Status::mismatch) return met;
    std::unique_ptr<hlc_segment> freed(std::exchange(*segment, nullptr));
    const Status flushed = halocline::core::failed(met) ? met : halocline::core::flush_all(inner);
    const Status ended = inner.end(broken != 0);
    freed->inner.reset();
    context.inner.live_plans -= 1;
    remember(context, std::move(freed));
    return halocline::core::failed(ended) ? ended : flushed;
  });
}

void *hlc_segment_data(const hlc_segment *segment) {
  if (!segment || !segment->inner) return nullptr;
  hlc_segment_info_t info{};
  return segment->inner->describe(segment->inner->rank(), &info) == Status::ok ? info.data : nullptr;
}

hlc_status hlc_segment_info(const hlc_segment *segment, int rank, hlc_segment_info_t *info) {
  if (const Status status = check("hlc_segment_info", segment); halocline::core::failed(status)) return api::out(status);
  if (!info) return api::out(api::null_on(segment->inner->communicator(), "hlc_segment_info", "info"));
  return api::out(segment->inner->describe(rank, info));
}

hlc_status hlc_put(hlc_target to, const void *data, int64_t bytes) {
  return on("hlc_put", to.segment, [&](Segment &segment) { return put(segment, place(to), data, bytes); });
}

hlc_status hlc_get(hlc_target from, void *data, int64_t bytes) {
  return on("hlc_get", from.segment, [&](Segment &segment) { return get(segment, place(from), data, bytes); });
}

hlc_status hlc_put_strided(hlc_target to, const void *data, const hlc_block *block) {
  return on("hlc_put_strided", to.segment, [&](Segment &segment) { return put_strided(segment, place(to), data, block); });
}

hlc_status hlc_get_strided(hlc_target from, void *data, const hlc_block *block) {
  return on("hlc_get_strided", from.segment, [&](Segment &segment) { return get_strided(segment, place(from), data, block); });
}

hlc_status hlc_put_notify(hlc_target to, const void *data, int64_t bytes, hlc_notification notification) {
  return on("hlc_put_notify", to.segment, [&](Segment &segment) { return put_notify(segment, place(to), data, bytes, notification); });
}

hlc_status hlc_notify(hlc_segment *segment, int rank, hlc_notification notification) {
  return on("hlc_notify", segment, [&](Segment &inner) { return notify(inner, rank, notification); });
}

hlc_status hlc_notify_wait(hlc_segment *segment, hlc_ids ids, int *id) {
  return on("hlc_notify_wait", segment, [&](Segment &inner) { return notify_wait(inner, ids, id); });
}

hlc_status hlc_notify_test(hlc_segment *segment, hlc_ids ids, int *id) {
  return on("hlc_notify_test", segment, [&](Segment &inner) { return notify_test(inner, ids, id); });
}

hlc_status hlc_notify_reset(hlc_segment *segment, int id, uint32_t *value) {
  return on("hlc_notify_reset", segment, [&](Segment &inner) { return notify_reset(inner, id, value); });
}

hlc_status hlc_atomic_fetch_add(hlc_target at, hlc_number type, int64_t value, int64_t *old) {
  constexpr const char *call = "hlc_atomic_fetch_add";
  return on(call, at.segment, [&](Segment &segment) { return fetch_word(segment, call, place(at), {HLC_OP_SUM, type}, value, old); });
}

hlc_status hlc_atomic_swap(hlc_target at, hlc_number type, int64_t value, int64_t *old) {
  constexpr const char *call = "hlc_atomic_swap";
  return on(call, at.segment, [&](Segment &segment) { return fetch_word(segment, call, place(at), {HLC_OP_REPLACE, type}, value, old); });
}

hlc_status hlc_atomic_compare_swap(hlc_target at, hlc_number type, int64_t expected, int64_t value, int64_t *old) {
  return on("hlc_atomic_compare_swap", at.segment,
            [&](Segment &segment) { return compare_swap(segment, place(at), type, expected, value, old); });
}

hlc_status hlc_fetch_op(hlc_target at, hlc_action action, const void *operand, void *old) {
  return on("hlc_fetch_op", at.segment, [&](Segment &segment) { return fetch_op(segment, place(at), action, operand, old); });
}

hlc_status hlc_accumulate(hlc_target at, hlc_action action, const void *data, int64_t count) {
  return on("hlc_accumulate", at.segment, [&](Segment &segment) { return accumulate(segment, place(at), action, data, count); });
}

hlc_status hlc_flush(hlc_segment *segment, int rank) {
  return on("hlc_flush", segment, [&](Segment &inner) { return flush(inner, rank); });
}
hlc_status hlc_flush_all(hlc_segment *segment) {
  return on("hlc_flush_all", segment, [](Segment &inner) { return flush_all(inner); });
}
hlc_status hlc_flush_local(hlc_segment *segment, int rank) {
  return on("hlc_flush_local", segment, [&](Segment &inner) { return flush_local(inner, rank); });
}
hlc_status hlc_flush_local_all(hlc_segment *segment) {
  return on("hlc_flush_local_all", segment, [](Segment &inner) { return flush_local_all(inner); });
}

hlc_status hlc_barrier(hlc_segment *segment) {
  return on("hlc_barrier", segment, [](Segment &inner) { return barrier(inner); });
}

}  // extern "C"
