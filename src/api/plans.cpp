// Creating and releasing plans of any kind.
// SPDX-License-Identifier: BSD-3-Clause
#include "api/plans.hpp"

#include <memory>
#include <utility>

#include "api/handles.hpp"
#include "device/driver.hpp"
#include "engine/communicator/collective.hpp"

namespace halocline::core::api {

EngineParts parts_of(hlc_context &context) {
  Context &inner = context.inner;
  return {inner, inner.network(), inner.fields(), inner.packings(), inner.check_mailbox()};
}

LazyMachine &machine_of(hlc_context &context) { return context.machine; }

Status make_plan(const Creation &creation, Making &making) {
  const char *name = name_of(creation.call);
  if (!creation.context) return null(name, "context");
  Context &inner = creation.context->inner;
  HLC_TRY(mpi_is_up(name));
  const Call in_call(inner, creation.call, inner.next_plan());
  // Deleting is collective, too, and part of this call.
  const auto drop = [](Making *failed_one) { failed_one->drop(); };
  std::unique_ptr<Making, decltype(drop)> dropped(&making, drop);
  device::look_for_driver();
  std::string names;
  const Status mine = alone(inner, [&] {
    if (!creation.has_place) return null_on(inner, name, "the result pointer");
    return making.accept(*creation.context, &names);
  });
  HLC_TRY(meet(inner, mine, names));
  inner.count_plan();
  HLC_TRY(making.create());
  [[maybe_unused]] const Making *const kept = dropped.release();
  inner.live.add(creation.kind);
  return Status::ok;
}

Status end_plan(CallName call, Live kind, std::unique_ptr<AnyPlan> &plan) {
  Context &inner = plan->context.inner;
  note_end_of_mpi(inner, name_of(call));
  const RoundState state = plan->state();
  if (state.under_way && !state.broken && !inner.lost())
    return fail(Status::state, "%s on rank %d: a swap is in flight; finish it first", name_of(call), inner.rank());
  if (!state.under_way && !state.broken && !inner.lost()) static_cast<void>(plan->announce_release());
  const Call in_call(inner, call, plan->serial());
  int broken = 0;
  const Status met = meet_to_release(inner, plan->state().broken ? 1 : 0, &broken);
  if (met == Status::mismatch) return met;
  inner.live.remove(kind);
  const std::unique_ptr<AnyPlan> ended = std::move(plan);
  return ended->end(broken != 0 || failed(met));
}

}  // namespace halocline::core::api
