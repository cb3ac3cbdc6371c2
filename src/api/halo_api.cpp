// The C API of halos: each function checks its handle and calls one object.
// SPDX-License-Identifier: BSD-3-Clause
#include "api/plans.hpp"
#include "halo/halo.hpp"

namespace api = halocline::core::api;
using halocline::core::CallName;

struct hlc_halo : api::PlanHandle<halocline::core::Halo, halocline::core::Live::halo> {
  using PlanHandle::PlanHandle;
};

extern "C" {

hlc_status hlc_halo_init(hlc_context *context, const hlc_halo_spec *spec, hlc_halo **halo) {
  return api::make(CallName::halo_init, context, spec, halo);
}

hlc_status hlc_halo_start(hlc_halo *halo, const hlc_swap *what) {
  if (!halo) return api::out(api::null("hlc_halo_start", "halo"));
  return api::out(halo->inner.start("hlc_halo_start", what));
}

hlc_status hlc_halo_start_with(hlc_halo *halo, const hlc_swap *what, void *const *data) {
  if (!halo) return api::out(api::null("hlc_halo_start_with", "halo"));
  return api::out(halo->inner.start_with("hlc_halo_start_with", what, data));
}

hlc_status hlc_halo_start_on(hlc_halo *halo, const hlc_swap *what, void *stream) {
  if (!halo) return api::out(api::null("hlc_halo_start_on", "halo"));
  return api::out(halo->inner.start_on("hlc_halo_start_on", what, stream));
}

hlc_status hlc_halo_test(hlc_halo *halo) {
  if (!halo) return api::out(api::null("hlc_halo_test", "halo"));
  return api::out(halo->inner.test("hlc_halo_test"));
}
hlc_status hlc_halo_finish(hlc_halo *halo) {
  if (!halo) return api::out(api::null("hlc_halo_finish", "halo"));
  return api::out(halo->inner.finish("hlc_halo_finish"));
}
hlc_status hlc_halo_finish_on(hlc_halo *halo, void *stream) {
  if (!halo) return api::out(api::null("hlc_halo_finish_on", "halo"));
  return api::out(halo->inner.finish_on("hlc_halo_finish_on", stream));
}
hlc_status hlc_halo_finish_views(hlc_halo *halo) {
  if (!halo) return api::out(api::null("hlc_halo_finish_views", "halo"));
  return api::out(halo->inner.finish_views("hlc_halo_finish_views"));
}
hlc_status hlc_halo_release(hlc_halo *halo) {
  if (!halo) return api::out(api::null("hlc_halo_release", "halo"));
  return api::out(halo->inner.release("hlc_halo_release"));
}
hlc_status hlc_halo_views(const hlc_halo *halo, int field, hlc_view *views) {
  return api::out(halo ? halo->inner.list_views(field, views) : api::null("hlc_halo_views", "halo"));
}
hlc_status hlc_halo_finalise(hlc_halo **halo) { return api::release(CallName::halo_finalise, halo); }

hlc_status hlc_halo_info(const hlc_halo *halo, hlc_plan_info *info) {
  if (!halo || !info) return api::out(api::null("hlc_halo_info", halo ? "info" : "halo"));
  *info = halo->inner.describe();
  return HLC_OK;
}

hlc_status hlc_halo_explain(const hlc_halo *halo, hlc_format format, char *buffer, size_t size, size_t *length) {
  return api::explain("hlc_halo_explain", halo, "halo", {format, buffer, size, length});
}

}  // extern "C"
