// The C API of reductions: each function checks its handle and calls one object.
// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include "api/handles.hpp"
#include "device/driver.hpp"
#include "device/pointers.hpp"
#include "engine/communicator/collective.hpp"
#include "model/machine.hpp"
#include "reduce/allreduce.hpp"
#include "trace/trace.hpp"

namespace api = halocline::core::api;
namespace device = halocline::core::device;
namespace trace = halocline::core::trace;
using halocline::core::Call;
using halocline::core::CallName;
using halocline::core::Status;

struct hlc_allreduce {
  explicit hlc_allreduce(halocline::core::Context &context) : inner(context) {}
  halocline::core::Allreduce inner;
};

namespace {

trace::Event event_of(hlc_allreduce &plan) {
  const halocline::core::Context &context = plan.inner.context();
  trace::Event event{"hlc_allreduce_run", "reduction"};
  event.rank = context.in_world(context.rank());
  event.context = context.number();
  event.plan = plan.inner.serial();
  return event;
}

}  // namespace

extern "C" {

hlc_status hlc_allreduce_create(hlc_context *context, const hlc_allreduce_spec *spec, hlc_allreduce **plan) {
  const char *call = name_of(CallName::allreduce_create);
  api::clear(plan);
  return api::guarded(call, [&]() -> Status {
    if (!context) return api::null(call, "context");
    HLC_TRY(api::mpi_is_up(call));
    halocline::core::Context &inner = context->inner;
    std::unique_ptr<hlc_allreduce> made;
    device::look_for_driver();
    const Call in_call(inner, CallName::allreduce_create, inner.next_plan());
    std::string name;
    const Status mine = halocline::core::alone(inner, [&] {
      if (!plan) return api::null_on(inner, call, "the result pointer");
      made = std::make_unique<hlc_allreduce>(inner);
      return made->inner.take(spec, context->machine.get().card, &name);
    });
    HLC_TRY(halocline::core::meet(inner, mine, name));
    inner.count_plan();
    HLC_TRY(made->inner.create(spec));
    inner.live.add(halocline::core::Live::allreduce);
    *plan = made.release();
    return Status::ok;
  });
}

hlc_status hlc_allreduce_run(hlc_allreduce *plan, const void *in, void *out) {
  return api::in_swap("hlc_allreduce_run", plan, "plan", [&](auto &inner) {
    if (device::driver()) {
      const halocline::core::Caller caller{"hlc_allreduce_run", inner.context().rank()};
      HLC_TRY(device::check_argument(caller, "in", in));
      HLC_TRY(device::check_argument(caller, "out", out));
    }
    return trace::around([plan] { return event_of(*plan); }, [&] { return inner.run(in, out); });
  });
}

hlc_status hlc_allreduce_destroy(hlc_allreduce **plan) {
  const char *call = name_of(CallName::allreduce_destroy);
  return api::guarded(call, [&]() -> Status {
    if (!plan || !*plan) return Status::ok;
    halocline::core::Context &context = (*plan)->inner.context();
    api::note_end_of_mpi(context, call);
    const Call in_call(context, CallName::allreduce_destroy, (*plan)->inner.serial());
    int broken = 0;
    const Status met = halocline::core::meet_to_release(context, (*plan)->inner.broken() ? 1 : 0, &broken);
    if (met == Status::mismatch) return met;
    std::unique_ptr<hlc_allreduce> released(std::exchange(*plan, nullptr));
    const Status ended = released->inner.end(broken != 0 || failed(met));
    context.live.remove(halocline::core::Live::allreduce);
    return ended;
  });
}

hlc_status hlc_allreduce_info(const hlc_allreduce *plan, hlc_allreduce_info_t *info) {
  if (!plan || !info) return api::out(api::null("hlc_allreduce_info", plan ? "info" : "plan"));
  *info = plan->inner.describe();
  return HLC_OK;
}

}  // extern "C"
