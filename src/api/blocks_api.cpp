// The C API of blocks: each function checks its handle and calls one object.
// SPDX-License-Identifier: BSD-3-Clause
#include "api/plans.hpp"
#include "blocks/blocks.hpp"

namespace api = halocline::core::api;
using halocline::core::CallName;

struct hlc_blocks : api::PlanHandle<halocline::core::Blocks, halocline::core::Live::blocks> {
  using PlanHandle::PlanHandle;
};

extern "C" {

hlc_status hlc_blocks_init(hlc_context *context, const hlc_blocks_spec *spec, hlc_blocks **blocks) {
  return api::make(CallName::blocks_init, context, spec, blocks);
}

hlc_status hlc_blocks_start(hlc_blocks *blocks, const hlc_swap *what) {
  if (!blocks) return api::out(api::null("hlc_blocks_start", "blocks"));
  return api::out(blocks->inner.start("hlc_blocks_start", what));
}
hlc_status hlc_blocks_start_on(hlc_blocks *blocks, const hlc_swap *what, void *stream) {
  if (!blocks) return api::out(api::null("hlc_blocks_start_on", "blocks"));
  return api::out(blocks->inner.start_on("hlc_blocks_start_on", what, stream));
}
hlc_status hlc_blocks_test(hlc_blocks *blocks) {
  if (!blocks) return api::out(api::null("hlc_blocks_test", "blocks"));
  return api::out(blocks->inner.test("hlc_blocks_test"));
}
hlc_status hlc_blocks_finish(hlc_blocks *blocks) {
  if (!blocks) return api::out(api::null("hlc_blocks_finish", "blocks"));
  return api::out(blocks->inner.finish("hlc_blocks_finish"));
}
hlc_status hlc_blocks_finish_on(hlc_blocks *blocks, void *stream) {
  if (!blocks) return api::out(api::null("hlc_blocks_finish_on", "blocks"));
  return api::out(blocks->inner.finish_on("hlc_blocks_finish_on", stream));
}

hlc_status hlc_blocks_start_part(hlc_blocks *blocks, int part, const hlc_swap *what) {
  if (!blocks) return api::out(api::null("hlc_blocks_start_part", "blocks"));
  return api::out(blocks->inner.start_part("hlc_blocks_start_part", part, what));
}
hlc_status hlc_blocks_finish_part(hlc_blocks *blocks, int part) {
  if (!blocks) return api::out(api::null("hlc_blocks_finish_part", "blocks"));
  return api::out(blocks->inner.finish_part("hlc_blocks_finish_part", part));
}

hlc_status hlc_blocks_finalise(hlc_blocks **blocks) { return api::release(CallName::blocks_finalise, blocks); }

hlc_status hlc_blocks_explain(const hlc_blocks *blocks, hlc_format format, char *buffer, size_t size, size_t *length) {
  return api::explain("hlc_blocks_explain", blocks, "blocks", {format, buffer, size, length});
}

hlc_status hlc_blocks_info(const hlc_blocks *blocks, hlc_plan_info *info) {
  if (!blocks || !info) return api::out(api::null("hlc_blocks_info", blocks ? "info" : "blocks"));
  *info = blocks->inner.describe();
  return HLC_OK;
}

}  // extern "C"
