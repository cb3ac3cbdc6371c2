// The C API of segments: each function checks its handle and calls one operation.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "api/handles.hpp"
#include "base/bounds.hpp"
#include "device/driver.hpp"
#include "device/pointers.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/rma/atomic_list.hpp"
#include "engine/rma/operations.hpp"
#include "engine/rma/segment.hpp"
#include "engine/sync/barrier.hpp"
#include "trace/trace.hpp"

namespace api = halocline::core::api;
using halocline::core::Call;
using halocline::core::Caller;
using halocline::core::CallName;
using halocline::core::compare_swap_word;
using halocline::core::fail;
using halocline::core::fetch_word;
using halocline::core::FetchOp;
using halocline::core::kMaxAtomicsAtOnce;
using halocline::core::Numbers;
using halocline::core::RemoteMemory;
using halocline::core::Segment;
using halocline::core::Sink;
using halocline::core::Source;
using halocline::core::Status;
using halocline::core::SwapWord;
using halocline::core::Target;
namespace device = halocline::core::device;
namespace trace = halocline::core::trace;

/// The handle of a segment. Once the segment has been freed the empty handle is kept, so that the use of a copy is detected.
struct hlc_segment {
  hlc_context *context = nullptr;
  std::unique_ptr<halocline::core::Segment> inner;
  std::unique_ptr<hlc_segment> next;  // freed before this one
};

hlc_context::hlc_context() = default;
hlc_context::~hlc_context() = default;

namespace {

constexpr int kMaxFreed = 8;

Status check(const char *call, const hlc_segment *segment) {
  if (!segment) return api::null(call, "segment");
  return segment->inner ? Status::ok : fail(Status::state, "%s: the segment has been freed", call);
}

/// A call as the trace names it.
struct Named {
  const char *call;
  const hlc_segment *segment;
  int rank = -1;
  std::int64_t bytes = -1;
};

trace::Event event_of(const Named &named) {
  trace::Event event;
  if (!named.segment || !named.segment->inner) return event;
  const halocline::core::Communicator &communicator = named.segment->inner->communicator();
  event.name = named.call;
  event.category = "segment";
  event.rank = communicator.in_world(communicator.rank());
  if (named.rank < communicator.size()) event.peer = communicator.in_world(named.rank);
  event.context = communicator.number();
  event.plan = named.segment->inner->plan();
  event.bytes = named.bytes;
  return event;
}

/// Makes a call, which the trace contains if there is one.
template <class Work>
hlc_status recorded(Named named, Work work) {
  return trace::around([named] { return event_of(named); }, work);
}

std::int64_t bytes_of(const Source &data) { return data.bytes; }
std::int64_t bytes_of(const Sink &data) { return data.bytes; }
template <class Other>
std::int64_t bytes_of(const Other &) {
  return -1;
}

// Memory of the caller's that an operation reads or writes. A device's is refused, wherever the target is.
Status check_place(const Caller &caller, const void *data) { return device::check_argument(caller, "data", data); }
Status check_place(const Caller &caller, void *data) { return device::check_argument(caller, "data", data); }
Status check_place(const Caller &caller, const Source &source) { return device::check_argument(caller, "data", source.data); }
Status check_place(const Caller &caller, const Sink &sink) { return device::check_argument(caller, "data", sink.data); }
Status check_place(const Caller &caller, const Numbers &numbers) { return device::check_argument(caller, "data", numbers.data); }
Status check_place(const Caller &caller, std::int64_t *old) { return device::check_argument(caller, "old", old); }
Status check_place(const Caller &caller, const SwapWord &swap) { return device::check_argument(caller, "old", swap.old); }
Status check_place(const Caller &caller, const FetchOp &fetch) {
  HLC_TRY(device::check_argument(caller, "operand", fetch.operand));
  return device::check_argument(caller, "old", fetch.old);
}
template <class Other>
Status check_place(const Caller &, const Other &) {
  return Status::ok;
}

template <class... Arguments>
[[gnu::noinline]] Status check_places(const char *call, const Segment &segment, Arguments... arguments) {
  const Caller caller{call, segment.communicator().rank()};
  Status status = Status::ok;
  static_cast<void>((... && (status = check_place(caller, arguments), !halocline::core::failed(status))));
  return status;
}

/// Calls an operation on the segment of a handle.
template <class Operation>
hlc_status on(const char *call, hlc_segment *segment, Operation operation) {
  if (!segment || !segment->inner) return api::out(check(call, segment));
  return api::out(operation(*segment->inner));
}

/// Calls an operation on the memory of a rank.
template <class Operation>
hlc_status to(const char *call, hlc_segment *segment, int rank, Operation operation) {
  return on(call, segment, [&](const Segment &inner) {
    return inner.with(call, rank, [&](const RemoteMemory &memory) { return operation(call, memory); });
  });
}

/// Not inlined, so that calls for the usual ranks need no room on the stack.
template <class Operation, class... Arguments>
[[gnu::noinline]] hlc_status at_any(const char *call, const hlc_target &target, Operation operation, Arguments... arguments) {
  return to(call, target.segment, target.rank,
            [&](const char *name, const RemoteMemory &memory) { return operation(name, Target{memory, target.offset}, arguments...); });
}

template <class Operation, class First, class... Arguments>
[[gnu::noinline, gnu::cold]] hlc_status at_recorded(const char *call, const hlc_target &target, Operation operation, First first,
                                                    Arguments... arguments) {
  return recorded({call, target.segment, target.rank, bytes_of(first)},
                  [&] { return at_any(call, target, operation, first, arguments...); });
}

/// Calls operation(call, target, arguments...) on a place in the memory of a rank.
template <class Operation, class... Arguments>
hlc_status at(const char *call, const hlc_target &target, Operation operation, Arguments... arguments) {
  if (device::driver() && target.segment && target.segment->inner)
    if (const Status status = check_places(call, *target.segment->inner, arguments...); halocline::core::failed(status))
      return api::out(status);
  if (trace::is_on()) return at_recorded(call, target, operation, arguments...);
  if (target.segment && target.segment->inner)
    if (const RemoteMemory *usual = target.segment->inner->find_usual(target.rank))
      return api::out(operation(call, Target{*usual, target.offset}, arguments...));
  return at_any(call, target, operation, arguments...);
}

/// Requests the cache lines of the atomics of a list that are on this node.
void fetch_lines(const hlc_atomic *list, std::size_t count) {
  for (const hlc_atomic *one = list; one != list + count; ++one)
    if (one->at.segment && one->at.segment->inner)
      if (const RemoteMemory *usual = one->at.segment->inner->find_usual(one->at.rank)) halocline::core::fetch_line(*usual, *one);
}

/// Some atomics of a list.
struct SomeAtomics {
  std::size_t count = 0;
  std::array<hlc_atomic *, kMaxAtomicsAtOnce> list;

  void add(hlc_atomic &one) { list[count++] = &one; }
  /// Calls carry_out(memory, atomic) for each.
  template <class CarryOut>
  Status each(const char *call, CarryOut carry_out) const {
    for (std::size_t i = 0; i < count; ++i) {
      hlc_atomic &one = *list[i];
      HLC_TRY(one.at.segment->inner->with(call, one.at.rank, [&](const RemoteMemory &memory) { return carry_out(memory, one); }));
    }
    return Status::ok;
  }
};

/// Carries out those on other nodes together, and those on this node while they are under way.
Status carry_out(const char *call, const SomeAtomics &near, const SomeAtomics &far) {
  const auto carry_out_one = [call](const RemoteMemory &memory, hlc_atomic &one) { return carry_out_near(call, memory, one); };
  if (far.count == 0) return near.each(call, carry_out_one);
  halocline::core::FarAtomics others(call);
  HLC_TRY(far.each(call, [&others](const RemoteMemory &memory, hlc_atomic &one) { return others.add(memory, one); }));
  HLC_TRY(others.start());
  HLC_TRY(near.each(call, carry_out_one));
  return others.await();
}

/// Carries out the atomics of one round of a list.
Status carry_out(const char *call, hlc_atomic *list, std::size_t count) {
  SomeAtomics near, far;
  fetch_lines(list, count);
  for (hlc_atomic *one = list; one != list + count; ++one) {
    HLC_TRY(check(call, one->at.segment));
    HLC_TRY(one->at.segment->inner->with(call, one->at.rank, [&](const RemoteMemory &memory) {
      (memory.is_near() ? near : far).add(*one);
      return Status::ok;
    }));
  }
  return carry_out(call, near, far);
}

/// What the API's spec asks for.
halocline::core::SegmentSpec inner_spec(const hlc_segment_spec &spec) {
  return {.bytes = spec.bytes, .notifications = spec.notifications, .shared = spec.shared != 0};
}

Status check(const char *call, const Segment &segment, const hlc_segment_spec *spec) {
  if (!spec) return api::null_on(segment.communicator(), call, "spec");
  HLC_TRY(halocline::core::check_bounds({call, segment.rank()}, {halocline::core::flag("shared", spec->shared)}));
  return segment.check(call, inner_spec(*spec));
}

/// Keeps an empty handle, and deletes the oldest if there are many.
void remember(hlc_context &context, std::unique_ptr<hlc_segment> segment) {
  segment->next = std::move(context.freed_segments);
  context.freed_segments = std::move(segment);
  if (++context.freed_count <= kMaxFreed) return;
  hlc_segment *last_kept = context.freed_segments.get();
  for (int i = 1; i < kMaxFreed; ++i) last_kept = last_kept->next.get();
  last_kept->next.reset();
  context.freed_count = kMaxFreed;
}

/// What the caller does after an atomic does not pass it, a read neither. On x86 the atomic instructions see to that.
hlc_status ordered(hlc_status status) {
#ifndef __x86_64__
  // SYNC atomic-to-atomic (pairs with itself)
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  return status;
}

}  // namespace

extern "C" {

hlc_status hlc_segment_create(hlc_context *context, const hlc_segment_spec *spec, hlc_segment **segment) {
  const char *call = name_of(CallName::segment_create);
  api::clear(segment);
  return api::guarded(call, [&]() -> Status {
    if (!context) return api::null(call, "context");
    HLC_TRY(api::mpi_is_up(call));
    halocline::core::Context &inner = context->inner;
    std::unique_ptr<hlc_segment> made;
    device::look_for_driver();
    const Call in_call(inner, CallName::segment_create, inner.next_plan());
    HLC_TRY(halocline::core::meet(inner, halocline::core::alone(inner, [&] {
                                    if (!segment) return api::null_on(inner, call, "the result pointer");
                                    made = std::make_unique<hlc_segment>();
                                    made->context = context;
                                    made->inner = std::make_unique<Segment>(inner.network());
                                    return check(call, *made->inner, spec);
                                  })));
    inner.count_plan();
    HLC_TRY(made->inner->create(call, inner_spec(*spec)));
    inner.live.add(halocline::core::Live::segment);
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
    const Status flushed = halocline::core::failed(met) ? met : halocline::core::flush_all("hlc_flush_all", inner.network());
    const Status ended = inner.end(broken != 0);
    freed->inner.reset();
    context.inner.live.remove(halocline::core::Live::segment);
    remember(context, std::move(freed));
    return halocline::core::failed(ended) ? ended : flushed;
  });
}

void *hlc_segment_data(const hlc_segment *segment) {
  if (!segment || !segment->inner) return nullptr;
  const RemoteMemory &mine = segment->inner->mine();
  return mine.bytes() > 0 ? mine.data() : nullptr;
}

hlc_status hlc_segment_info(const hlc_segment *segment, int rank, hlc_segment_info_t *info) {
  if (const Status status = check("hlc_segment_info", segment); halocline::core::failed(status)) return api::out(status);
  if (!info) return api::out(api::null_on(segment->inner->communicator(), "hlc_segment_info", "info"));
  return api::out(segment->inner->with("hlc_segment_info", rank, [info](const RemoteMemory &memory) {
    *info = {memory.bytes(), memory.notifications(), memory.bytes() > 0 ? memory.data() : nullptr};
    return Status::ok;
  }));
}

hlc_status hlc_put(hlc_target to, const void *data, int64_t bytes) {
  constexpr auto operation = [](const char *call, Target target, Source source) { return put(call, target, source); };
  return at("hlc_put", to, operation, Source{data, bytes});
}

hlc_status hlc_get(hlc_target from, void *data, int64_t bytes) {
  constexpr auto operation = [](const char *call, Target target, Sink sink) { return get(call, target, sink); };
  return at("hlc_get", from, operation, Sink{data, bytes});
}

hlc_status hlc_put_strided(hlc_target to, const void *data, const hlc_block *block) {
  return at("hlc_put_strided", to, halocline::core::put_strided, data, block);
}

hlc_status hlc_get_strided(hlc_target from, void *data, const hlc_block *block) {
  return at("hlc_get_strided", from, halocline::core::get_strided, data, block);
}

hlc_status hlc_put_notify(hlc_target to, const void *data, int64_t bytes, hlc_notification notification) {
  constexpr auto operation = [](const char *call, Target target, Source source, hlc_notification set) {
    return put_notify(call, target, source, set);
  };
  return at("hlc_put_notify", to, operation, Source{data, bytes}, notification);
}

hlc_status hlc_notify(hlc_segment *segment, int rank, hlc_notification notification) {
  const auto operation = [notification](const char *call, const RemoteMemory &memory) { return notify(call, memory, notification); };
  return recorded({"hlc_notify", segment, rank}, [=] { return to("hlc_notify", segment, rank, operation); });
}

hlc_status hlc_notify_wait(hlc_segment *segment, hlc_ids ids, int *id) {
  const char *call = name_of(CallName::notify_wait);
  const auto operation = [ids, id](Segment &inner) { return notify_wait(CallName::notify_wait, inner, ids, id); };
  return recorded({call, segment}, [=] { return on(call, segment, operation); });
}

hlc_status hlc_notify_test(hlc_segment *segment, hlc_ids ids, int *id) {
  constexpr const char *call = "hlc_notify_test";
  return on(call, segment, [&](Segment &inner) { return notify_test(call, inner, ids, id); });
}

hlc_status hlc_notify_reset(hlc_segment *segment, int id, uint32_t *value) {
  constexpr const char *call = "hlc_notify_reset";
  return on(call, segment, [&](Segment &inner) { return notify_reset(call, inner, id, value); });
}

hlc_status hlc_atomic_fetch_add(hlc_target word, hlc_number type, int64_t value, int64_t *old) {
  return ordered(at("hlc_atomic_fetch_add", word, fetch_word, hlc_action{HLC_OP_SUM, type}, value, old));
}

hlc_status hlc_atomic_swap(hlc_target word, hlc_number type, int64_t value, int64_t *old) {
  return ordered(at("hlc_atomic_swap", word, fetch_word, hlc_action{HLC_OP_REPLACE, type}, value, old));
}

hlc_status hlc_atomic_compare_swap(hlc_target word, hlc_number type, int64_t expected, int64_t value, int64_t *old) {
  return ordered(at("hlc_atomic_compare_swap", word, compare_swap_word, type, SwapWord{expected, value, old}));
}

hlc_status hlc_fetch_op(hlc_target number, hlc_action action, const void *operand, void *old) {
  constexpr auto operation = [](const char *call, Target target, hlc_action what, FetchOp fetch) {
    return fetch_op(call, target, what, fetch);
  };
  return ordered(at("hlc_fetch_op", number, operation, action, FetchOp{operand, old}));
}

hlc_status hlc_accumulate(hlc_target numbers, hlc_action action, const void *data, int64_t count) {
  return at("hlc_accumulate", numbers, halocline::core::accumulate, action, Numbers{data, count});
}

hlc_status hlc_atomics(hlc_atomic *list, int64_t count) {
  constexpr const char *call = "hlc_atomics";
  if (count < 0) return api::out(fail(Status::argument, "%s: invalid count %lld", call, static_cast<long long>(count)));
  if (!list && count > 0) return api::out(api::null(call, "list"));
  if (device::driver())
    if (const Status status = device::check_argument({call}, "list", list); halocline::core::failed(status)) return api::out(status);
  for (int64_t done = 0; done < count; done += kMaxAtomicsAtOnce) {
    const auto some = static_cast<std::size_t>(std::min<int64_t>(count - done, kMaxAtomicsAtOnce));
    if (const Status status = carry_out(call, list + done, some); halocline::core::failed(status)) return api::out(status);
  }
  return ordered(HLC_OK);
}

hlc_status hlc_flush(hlc_segment *segment, int rank) {
  constexpr auto operation = [](const char *call, const RemoteMemory &memory) { return flush(call, memory); };
  return recorded({"hlc_flush", segment, rank}, [=] { return to("hlc_flush", segment, rank, operation); });
}
hlc_status hlc_flush_all(hlc_segment *segment) {
  constexpr auto operation = [](Segment &inner) { return flush_all("hlc_flush_all", inner.network()); };
  return recorded({"hlc_flush_all", segment}, [=] { return on("hlc_flush_all", segment, operation); });
}
hlc_status hlc_flush_local(hlc_segment *segment, int rank) {
  constexpr auto operation = [](const char *call, const RemoteMemory &memory) { return flush_local(call, memory); };
  return recorded({"hlc_flush_local", segment, rank}, [=] { return to("hlc_flush_local", segment, rank, operation); });
}
hlc_status hlc_flush_local_all(hlc_segment *segment) {
  constexpr auto operation = [](Segment &inner) { return flush_local_all("hlc_flush_local_all", inner.network()); };
  return recorded({"hlc_flush_local_all", segment}, [=] { return on("hlc_flush_local_all", segment, operation); });
}

hlc_status hlc_barrier(hlc_segment *segment) {
  return recorded({"hlc_barrier", segment}, [=] { return on("hlc_barrier", segment, [](Segment &inner) { return barrier(inner); }); });
}

}  // extern "C"
