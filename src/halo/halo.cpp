// Accepting a halo's spec, refusing wrong calls and arguments, and returning views of the cells around the block.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/halo.hpp"

#include <algorithm>

#include "base/bounds.hpp"
#include "device/driver.hpp"
#include "device/pointers.hpp"
#include "engine/communicator/communicator.hpp"
#include "engine/memory/fields.hpp"
#include "exchange/fields.hpp"
#include "halo/agree.hpp"
#include "halo/tables.hpp"

namespace halocline::core {
namespace {

constexpr const char *kSides = " but must be HLC_SIDE_BOTH (0), HLC_SIDE_LOW (1) or HLC_SIDE_HIGH (2)";
static_assert(HLC_SIDE_BOTH == 0 && HLC_SIDE_LOW == 1 && HLC_SIDE_HIGH == 2);

}  // namespace

int Halo::rank() const { return engine_.communicator.rank(); }

Status Halo::accept(const hlc_halo_spec *spec, std::string *plan, bool chosen) {
  const PlanCall call(engine_.communicator, spec ? spec->name : nullptr);
  HLC_TRY(name_plan(check_spec(spec, rank(), engine_.communicator.size()), call));
  HLC_TRY(name_plan(check_memory(*spec), call));
  options_ = {spec->mode, spec->epoch, spec->drive};
  options_.chosen = chosen;
  if (spec->name) options_.name = spec->name;
  HLC_TRY(resolve(options_, engine_.communicator));
  if (spec->name) plan->append("'").append(spec->name).append("' ");
  for (int f = 0; f < spec->nfields; ++f) plan->append(f == 0 ? "('" : "', '").append(field_name(*spec, f));
  plan->append("')");
  ndims_ = spec->grid->ndims;
  rebinds_ = spec->rebind != 0;
  repeats_ = find_wrapped(*spec) >= 0;
  deepest_ = deepest_halo(*spec);
  return Status::ok;
}

Status Halo::check_memory(const hlc_halo_spec &spec) const {
  for (int f = 0; f < spec.nfields; ++f)
    HLC_TRY(check_room({"hlc_halo_init", rank()}, engine_.fields.room(spec.fields[f].data),
                       field_extent(spec, spec.fields[f], Extents::of(spec, f)),
                       [&] { return indexed("fields", f) + " '" + field_name(spec, f) + "'"; }));
  return Status::ok;
}

Status Halo::create(const hlc_halo_spec *spec) {
  HLC_TRY(agree_on_spec(engine_.communicator, *spec, options_));
  return plan_swaps(*spec, options_);
}

// ---------------------------------------------------------------- swaps

Status Halo::check_swap(const char *call, const hlc_swap &what) const {
  const int me = rank(), side = static_cast<int>(what.side);
  HLC_TRY(check_field_list(call, me, what, static_cast<int>(fields().size())));
  HLC_TRY(check_bounds({call, me}, {flag("one_dim", what.one_dim), flag("reverse", what.reverse)}));
  if (what.depth != 0 && in_stages())
    return fail(Status::unsupported, "%s on rank %d: depth is %lld, but a staged halo is swapped at its whole depth", call, me,
                static_cast<long long>(what.depth));
  if (what.depth < 0)
    return fail(Status::argument, "%s on rank %d: depth is %lld, it must be 0 (the whole halo) or more", call, me,
                static_cast<long long>(what.depth));
  if (what.depth > 0 && what.depth < deepest_ && repeats_)
    return fail(Status::unsupported, "%s on rank %d: depth is %lld, but the halo is deeper than the block, and swapped at its whole depth",
                call, me, static_cast<long long>(what.depth));
  if (what.one_dim && in_stages())
    return fail(Status::unsupported, "%s on rank %d: one_dim is set, but a staged halo swaps all its dimensions", call, me);
  HLC_TRY(
      check_bounds({call, me}, {{"dim", what.one_dim ? what.dim : 0, 0, ndims_ - 1},
                                {"side", side, HLC_SIDE_BOTH, HLC_SIDE_HIGH, kSides},
                                {"side", what.one_dim ? HLC_SIDE_BOTH : side, HLC_SIDE_BOTH, HLC_SIDE_BOTH, "; a side needs one_dim"}}));
  HLC_TRY(check_addable(call, me, what, fields(), [](const HaloField &field) { return field.type; }));
  if (what.reverse && views_out())
    return bad_call(call, "views of the last swap are out, and a reverse swap writes what they show; call hlc_halo_release first");
  return Status::ok;
}

/// An array of a swap's own must end in the memory in which it begins. The list of fields has been checked.
Status Halo::check_given(const hlc_swap *what, void *const *data) const {
  const int listed = what ? what->nfields : 0, count = listed > 0 ? listed : static_cast<int>(fields().size());
  for (int i = 0; i < count; ++i) {
    const int f = listed > 0 ? what->fields[i] : i;
    const HaloField &field = fields()[static_cast<std::size_t>(f)];
    if (!data[f]) continue;
    const auto who = [&] { return indexed("data", f) + ", for field '" + field.name + "',"; };
    HLC_TRY(check_room({"hlc_halo_start_with", rank()}, engine_.fields.room(data[f]), field.extent, who));
    if (const int device = device::find_device(data[f]); device != field.device) return refuse_other_place(who(), device, field.device);
  }
  return Status::ok;
}

/// The images of a field's cells are made for its place.
Status Halo::refuse_other_place(const std::string &who, int device, int planned) const {
  const auto place = [](int one) {
    return one == device::kHost ? std::string("in the host's memory") : "on " + device::name_of_device(one);
  };
  return fail(Status::unsupported, "hlc_halo_start_with on rank %d: %s is %s, but the spec's array %s: pass one of the same place", rank(),
              who.c_str(), place(device).c_str(), place(planned).c_str());
}

Status Halo::start_with(const hlc_swap *what, void *const *data) {
  constexpr const char *call = "hlc_halo_start_with";
  if (!rebinds_ && data)
    return fail(Status::state, "%s on rank %d: the arrays differ from the plan's, and rebind is not set in its spec", call, rank());
  HLC_TRY(may_start(call));
  if (what) HLC_TRY(check_swap(call, *what));
  if (data) HLC_TRY(check_given(what, data));
  return begin(what, data);
}

Status Halo::start_on(const hlc_swap *what, void *stream) {
  follow({stream, true});
  const Status started = start(what);
  follow({});
  return started;
}

Status Halo::finish_on(void *stream) {
  precede({stream, true});
  const Status finished = finish();
  precede({});
  return finished;
}

// ---------------------------------------------------------------- views

Status Halo::release() {
  if (state().broken) return bad_call("hlc_halo_release", "an earlier swap of this halo failed; it can only be finalised");
  if (state().under_way) return bad_call("hlc_halo_release", "a swap of this halo is in flight; finish it first");
  return release_views();
}

Status Halo::list_views(int field, hlc_view *views) const {
  const int nfields = static_cast<int>(fields().size());
  if (field < 0 || field >= nfields)
    return fail(Status::argument, "hlc_halo_views on rank %d: field is %d but must be 0 to %d", rank(), field, nfields - 1);
  if (!views) return fail(Status::argument, "hlc_halo_views on rank %d: views is NULL", rank());
  if (state().under_way) return bad_call("hlc_halo_views", "a swap of this halo is in flight; finish it first");
  list_own(static_cast<std::size_t>(field), views);
  put_views(static_cast<std::size_t>(field), views);
  return Status::ok;
}

/// Every direction shows my own array, and has no rank until put_views finds the one that fills it.
void Halo::list_own(std::size_t f, hlc_view *views) const {
  const HaloField &field = fields()[f];
  for (int v = 0; v < HLC_DIRECTIONS(ndims_); ++v) {
    const Box box = field.extents.box(v + HLC_DIRECTIONS(HLC_MAX_DIMS) / 2 - HLC_DIRECTIONS(ndims_) / 2);
    views[v] = {field.data + box_offset(box, field.strides), {}, {}, v == HLC_DIRECTIONS(ndims_) / 2 ? rank() : HLC_NO_NEIGHBOUR};
    std::copy(box.count.begin(), box.count.end(), views[v].count);
    std::copy(field.strides.begin(), field.strides.end(), views[v].stride_bytes);
  }
}

}  // namespace halocline::core
