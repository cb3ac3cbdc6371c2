// The C API of statuses, messages, modes and the version: local calls, without a context.
// SPDX-License-Identifier: BSD-3-Clause
#include "api/calls.hpp"
#include "engine/communicator/wait.hpp"
#include "exchange/modes/modes.hpp"

namespace api = halocline::core::api;

extern "C" {

const char *hlc_status_name(hlc_status status) {
  switch (status) {
    case HLC_OK: return "HLC_OK";
    case HLC_AGAIN: return "HLC_AGAIN";
    case HLC_ERR_ARGUMENT: return "HLC_ERR_ARGUMENT";
    case HLC_ERR_STATE: return "HLC_ERR_STATE";
    case HLC_ERR_MEMORY: return "HLC_ERR_MEMORY";
    case HLC_ERR_MISMATCH: return "HLC_ERR_MISMATCH";
    case HLC_ERR_TIMEOUT: return "HLC_ERR_TIMEOUT";
    case HLC_ERR_PEER_DIED: return "HLC_ERR_PEER_DIED";
    case HLC_ERR_MPI: return "HLC_ERR_MPI";
    case HLC_ERR_UNSUPPORTED: return "HLC_ERR_UNSUPPORTED";
    case HLC_ERR_RULE: return "HLC_ERR_RULE";
    case HLC_ERR_DEVICE: return "HLC_ERR_DEVICE";
  }
  return "not an hlc_status";
}

const char *hlc_error_message(void) { return halocline::core::error_message(); }

const char *hlc_mode_name(hlc_mode mode) {
  const halocline::core::ModeRow *row = halocline::core::find_mode(mode);
  return row ? row->name : "unknown";
}

hlc_status hlc_mode_from_name(const char *name, hlc_mode *mode) {
  return api::guarded("hlc_mode_from_name", [&] { return halocline::core::mode_from_name(name, mode); });
}

#define HLC_TEXT_(x) #x
#define HLC_TEXT(x) HLC_TEXT_(x)
const char *hlc_version(void) { return HLC_TEXT(HLC_VERSION_MAJOR) "." HLC_TEXT(HLC_VERSION_MINOR) "." HLC_TEXT(HLC_VERSION_PATCH); }

void hlc_set_wait_check(hlc_wait_check check) { halocline::core::set_wait_check(check); }

}  // extern "C"
