// The C API of fields in shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "api/handles.hpp"
#include "engine/memory/node_memory.hpp"

namespace api = halocline::core::api;
using halocline::core::Status;

extern "C" {

hlc_status hlc_field_alloc(hlc_context *context, size_t bytes, void **data) {
  api::clear(data);
  return api::guarded("hlc_field_alloc", [&]() -> Status {
    if (!context) return api::null("hlc_field_alloc", "context");
    HLC_TRY(api::mpi_is_up("hlc_field_alloc"));
    return context->inner.fields().allocate(bytes, data);
  });
}

hlc_status hlc_field_alloc_untouched(hlc_context *context, size_t bytes, void **data) {
  api::clear(data);
  return api::guarded("hlc_field_alloc_untouched", [&]() -> Status {
    if (!context) return api::null("hlc_field_alloc_untouched", "context");
    HLC_TRY(api::mpi_is_up("hlc_field_alloc_untouched"));
    return context->inner.fields().allocate(bytes, data, halocline::core::Pages::untouched);
  });
}

hlc_status hlc_field_alloc_in(hlc_context *context, hlc_memory memory, size_t bytes, void **data) {
  api::clear(data);
  return api::guarded("hlc_field_alloc_in", [&]() -> Status {
    if (!context) return api::null("hlc_field_alloc_in", "context");
    HLC_TRY(api::mpi_is_up("hlc_field_alloc_in"));
    return context->inner.fields().allocate_in(memory, bytes, data);
  });
}

hlc_status hlc_field_free(hlc_context *context, void **data) {
  return api::guarded("hlc_field_free", [&]() -> Status {
    if (!data || !*data) return Status::ok;
    if (!context) return api::null("hlc_field_free", "context");
    return context->inner.fields().release(data);
  });
}

}  // extern "C"
