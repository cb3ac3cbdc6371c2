// How plans with swaps (halos of all kinds, exchanges) are created and released: the meetings of all ranks, and the count of live plans.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "api/handles.hpp"
#include "choice/chosen.hpp"
#include "engine/communicator/collective.hpp"
#include "exchange/engine_parts.hpp"

namespace halocline::core::api {

/// What plans use of a context.
inline EngineParts parts_of(Context &context) {
  return {context, context.network(), context.fields(), context.packings(), context.check_mailbox()};
}

/// What the handle of a plan with swaps contains.
template <class Plan>
struct PlanHandle {
  explicit PlanHandle(hlc_context &of) : context(of.inner), inner(parts_of(of.inner), of.machine) {}
  Context &context;
  Chosen<Plan> inner;
};

/// How a context counts a plan of this type.
template <class Object>
constexpr Live live_kind() {
  if constexpr (std::is_same_v<Object, hlc_index_halo>)
    return Live::index_halo;
  else if constexpr (std::is_same_v<Object, hlc_blocks>)
    return Live::blocks;
  else if constexpr (std::is_same_v<Object, hlc_exchange>)
    return Live::exchange;
  else
    return Live::halo;
}

/// Creates a plan, and counts it as live in its context. A rank that passes no pointer for the result still reports this to the others.
template <class Object, class Spec>
hlc_status make(CallName call, hlc_context *context, const Spec *spec, Object **object) {
  const char *name = name_of(call);
  clear(object);
  return guarded(name, [&]() -> Status {
    if (!context) return null(name, "context");
    Context &inner = context->inner;
    HLC_TRY(mpi_is_up(name));
    const Call in_call(inner, call, inner.next_plan());
    std::unique_ptr<Object> made;
    std::string plan;
    const Status mine = alone(inner, [&] {
      if (!object) return null_on(inner, name, "the result pointer");
      made = std::make_unique<Object>(*context);
      return made->inner.accept(spec, &plan);
    });
    HLC_TRY(meet(inner, mine, plan));
    inner.count_plan();
    HLC_TRY(made->inner.create(spec));
    inner.live.add(live_kind<Object>());
    *object = made.release();
    return Status::ok;
  });
}

/// Where an explanation goes, and in which form.
struct Explanation {
  hlc_format format;
  char *buffer;
  std::size_t size, *length;
};

/// Says what a plan has chosen. what: the name of the argument.
template <class Object>
hlc_status explain(const char *name, const Object *object, const char *what, const Explanation &into) {
  return guarded(name,
                 [&] { return object ? object->inner.explain(name, into.format, into.buffer, into.size, into.length) : null(name, what); });
}

/// Releases a plan, and sets the handle to NULL. If ranks are in different calls, nothing is released.
template <class Object>
hlc_status release(CallName call, Object **object) {
  const char *name = name_of(call);
  return guarded(name, [&]() -> Status {
    if (!object || !*object) return Status::ok;
    auto &inner = (*object)->inner;
    Context &context = (*object)->context;
    note_end_of_mpi(context, name);
    const RoundState state = inner.state();
    if (state.under_way && !state.broken && !context.lost())
      return fail(Status::state, "%s on rank %d: a swap is in flight; finish it first", name, context.rank());
    const Call in_call(context, call, inner.serial());
    int broken = 0;
    const Status met = meet_to_release(context, state.broken ? 1 : 0, &broken);
    if (met == Status::mismatch) return met;
    const Status ended = inner.end(broken != 0 || failed(met));
    context.live.remove(live_kind<Object>());
    delete *object;
    *object = nullptr;
    return ended;
  });
}

}  // namespace halocline::core::api
