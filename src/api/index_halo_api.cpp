// The C API of index halos: each function checks its handle and calls one object.
// SPDX-License-Identifier: BSD-3-Clause
#include "api/plans.hpp"
#include "index_halo/index_halo.hpp"

namespace api = halocline::core::api;
using halocline::core::CallName;

struct hlc_index_halo : api::PlanHandle<halocline::core::IndexHalo, halocline::core::Live::index_halo> {
  using PlanHandle::PlanHandle;
};

extern "C" {

hlc_status hlc_index_halo_init(hlc_context *context, const hlc_index_halo_spec *spec, hlc_index_halo **halo) {
  return api::make(CallName::index_halo_init, context, spec, halo);
}

hlc_status hlc_index_halo_start(hlc_index_halo *halo, const hlc_index_swap *what) {
  if (!halo) return api::out(api::null("hlc_index_halo_start", "halo"));
  return api::out(halo->inner.start("hlc_index_halo_start", what));
}
hlc_status hlc_index_halo_start_on(hlc_index_halo *halo, const hlc_index_swap *what, void *stream) {
  if (!halo) return api::out(api::null("hlc_index_halo_start_on", "halo"));
  return api::out(halo->inner.start_on("hlc_index_halo_start_on", what, stream));
}
hlc_status hlc_index_halo_test(hlc_index_halo *halo) {
  if (!halo) return api::out(api::null("hlc_index_halo_test", "halo"));
  return api::out(halo->inner.test("hlc_index_halo_test"));
}
hlc_status hlc_index_halo_finish(hlc_index_halo *halo) {
  if (!halo) return api::out(api::null("hlc_index_halo_finish", "halo"));
  return api::out(halo->inner.finish("hlc_index_halo_finish"));
}
hlc_status hlc_index_halo_finish_on(hlc_index_halo *halo, void *stream) {
  if (!halo) return api::out(api::null("hlc_index_halo_finish_on", "halo"));
  return api::out(halo->inner.finish_on("hlc_index_halo_finish_on", stream));
}
hlc_status hlc_index_halo_finish_views(hlc_index_halo *halo) {
  if (!halo) return api::out(api::null("hlc_index_halo_finish_views", "halo"));
  return api::out(halo->inner.finish_views("hlc_index_halo_finish_views"));
}
hlc_status hlc_index_halo_release(hlc_index_halo *halo) {
  if (!halo) return api::out(api::null("hlc_index_halo_release", "halo"));
  return api::out(halo->inner.release("hlc_index_halo_release"));
}

hlc_status hlc_index_halo_view(hlc_index_halo *halo, int field, int neighbour, hlc_index_view *view) {
  return api::guarded("hlc_index_halo_view",
                      [&] { return halo ? halo->inner.show_view(field, neighbour, view) : api::null("hlc_index_halo_view", "halo"); });
}

hlc_status hlc_index_halo_finalise(hlc_index_halo **halo) { return api::release(CallName::index_halo_finalise, halo); }

hlc_status hlc_index_halo_explain(const hlc_index_halo *halo, hlc_format format, char *buffer, size_t size, size_t *length) {
  return api::explain("hlc_index_halo_explain", halo, "halo", {format, buffer, size, length});
}

hlc_status hlc_index_halo_info(const hlc_index_halo *halo, hlc_plan_info *info) {
  if (!halo || !info) return api::out(api::null("hlc_index_halo_info", halo ? "info" : "halo"));
  *info = halo->inner.describe();
  return HLC_OK;
}

}  // extern "C"
