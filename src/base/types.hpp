// Properties of an hlc_type: its name and the bytes of an element.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <cstdint>
#include <string>

namespace halocline::core {

/// Upper limit for the bytes of an array: about the address space of one process.
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 48;

/// "name[i]", as messages name the element of an argument.
inline std::string indexed(const std::string &name, std::int64_t i) { return name + "[" + std::to_string(i) + "]"; }

/// The type as the C API spells it; "no hlc_type" for an invalid one.
inline const char *type_name(std::int64_t type) {
  switch (static_cast<hlc_type>(type)) {
    case HLC_OPAQUE: return "HLC_OPAQUE";
    case HLC_FLOAT32: return "HLC_FLOAT32";
    case HLC_FLOAT64: return "HLC_FLOAT64";
    case HLC_INT32: return "HLC_INT32";
    case HLC_INT64: return "HLC_INT64";
    case HLC_COMPLEX64: return "HLC_COMPLEX64";
    case HLC_COMPLEX128: return "HLC_COMPLEX128";
  }
  return "no hlc_type";
}

/// Bytes of an element; 0 for HLC_OPAQUE, whose size the user gives, and for an invalid type.
inline std::int64_t type_bytes(hlc_type type) {
  switch (type) {
    case HLC_OPAQUE: return 0;
    case HLC_FLOAT32:
    case HLC_INT32: return 4;
    case HLC_FLOAT64:
    case HLC_INT64:
    case HLC_COMPLEX64: return 8;
    case HLC_COMPLEX128: return 16;
  }
  return 0;
}

}  // namespace halocline::core
