// The C API of exchanges: each function checks its handle and calls one object.
// SPDX-License-Identifier: BSD-3-Clause
#include "api/plans.hpp"
#include "exchange/list.hpp"

namespace api = halocline::core::api;
using halocline::core::CallName;

struct hlc_exchange : api::PlanHandle<halocline::core::ListExchange, halocline::core::Live::exchange> {
  using PlanHandle::PlanHandle;
};

extern "C" {

hlc_status hlc_exchange_create(hlc_context *context, const hlc_exchange_spec *spec, hlc_exchange **exchange) {
  return api::make(CallName::exchange_create, context, spec, exchange);
}

hlc_status hlc_exchange_start(hlc_exchange *exchange) {
  if (!exchange) return api::out(api::null("hlc_exchange_start", "exchange"));
  return api::out(exchange->inner.start("hlc_exchange_start"));
}
hlc_status hlc_exchange_test(hlc_exchange *exchange) {
  if (!exchange) return api::out(api::null("hlc_exchange_test", "exchange"));
  return api::out(exchange->inner.test("hlc_exchange_test"));
}
hlc_status hlc_exchange_finish(hlc_exchange *exchange) {
  if (!exchange) return api::out(api::null("hlc_exchange_finish", "exchange"));
  return api::out(exchange->inner.finish("hlc_exchange_finish"));
}
hlc_status hlc_exchange_destroy(hlc_exchange **exchange) { return api::release(CallName::exchange_destroy, exchange); }

hlc_status hlc_exchange_info(const hlc_exchange *exchange, hlc_plan_info *info) {
  if (!exchange || !info) return api::out(api::null("hlc_exchange_info", exchange ? "info" : "exchange"));
  *info = exchange->inner.describe();
  return HLC_OK;
}

hlc_status hlc_exchange_explain(const hlc_exchange *exchange, hlc_format format, char *buffer, size_t size, size_t *length) {
  return api::explain("hlc_exchange_explain", exchange, "exchange", {format, buffer, size, length});
}

}  // extern "C"
