// How plans with swaps (halos of all kinds, exchanges) are created and released: the meetings of all ranks, and the count of live plans.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "api/calls.hpp"
#include "choice/chosen.hpp"
#include "engine/context/live.hpp"

namespace halocline::core::api {

/// The handle of a plan with swaps, of any kind.
class AnyPlan {
 public:
  explicit AnyPlan(hlc_context &of) : context(of) {}
  AnyPlan(const AnyPlan &) = delete;
  AnyPlan &operator=(const AnyPlan &) = delete;
  virtual ~AnyPlan() = default;

  virtual RoundState state() const = 0;
  virtual std::int64_t serial() const = 0;
  virtual Status announce_release() = 0;
  virtual Status end(bool others_broken) = 0;

  hlc_context &context;
};

/// What plans use of a context.
EngineParts parts_of(hlc_context &context);
LazyMachine &machine_of(hlc_context &context);

/// What the handle of one kind of plan contains.
template <class Plan, Live live_kind>
struct PlanHandle : AnyPlan {
  static constexpr Live kind = live_kind;
  explicit PlanHandle(hlc_context &of) : AnyPlan(of), inner(parts_of(of), machine_of(of)) {}
  RoundState state() const override { return inner.state(); }
  std::int64_t serial() const override { return inner.serial(); }
  Status announce_release() override { return inner.announce_release(); }
  Status end(bool others_broken) override { return inner.end(others_broken); }

  Chosen<Plan> inner;
};

/// The two parts of creating a plan, with its own spec.
class Making {
 public:
  Making() = default;
  Making(const Making &) = delete;
  Making &operator=(const Making &) = delete;
  virtual ~Making() = default;
  /// Local: makes the handle, which accepts the spec. *names: see Halo::accept.
  virtual Status accept(hlc_context &context, std::string *names) = 0;
  /// Collective.
  virtual Status create() = 0;
  /// Deletes the handle. Collective, where accept or create has failed.
  virtual void drop() = 0;
};

/// A call that creates a plan. has_place: the caller has passed a pointer for the result; a rank that has not still reports this to the
/// others.
struct Creation {
  CallName call;
  Live kind;
  hlc_context *context;
  bool has_place;
};
/// Makes a plan, and counts it as live in its context. Collective.
Status make_plan(const Creation &creation, Making &making);

/// Creates a plan.
template <class Object, class Spec>
hlc_status make(CallName call, hlc_context *context, const Spec *spec, Object **object) {
  struct One final : Making {
    explicit One(const Spec *its_spec) : spec(its_spec) {}
    Status accept(hlc_context &of, std::string *names) override {
      made = std::make_unique<Object>(of);
      return made->inner.accept(spec, names);
    }
    Status create() override { return made->inner.create(spec); }
    void drop() override { made.reset(); }
    const Spec *spec;
    std::unique_ptr<Object> made;
  };
  clear(object);
  return guarded(name_of(call), [&]() -> Status {
    One one(spec);
    HLC_TRY(make_plan({call, Object::kind, context, object != nullptr}, one));
    *object = one.made.release();
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

/// Ends a plan and deletes it, and counts it no more. If ranks are in different calls, or a swap is under way, it stays. Collective.
Status end_plan(CallName call, Live kind, std::unique_ptr<AnyPlan> &plan);

/// Releases a plan, and sets the handle to NULL, unless the plan stays.
template <class Object>
hlc_status release(CallName call, Object **object) {
  return guarded(name_of(call), [&]() -> Status {
    if (!object || !*object) return Status::ok;
    std::unique_ptr<AnyPlan> plan(std::exchange(*object, nullptr));
    const Status status = end_plan(call, Object::kind, plan);
    *object = static_cast<Object *>(plan.release());
    return status;
  });
}

}  // namespace halocline::core::api
