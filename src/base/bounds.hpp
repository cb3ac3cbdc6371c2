// Checks arguments against bounds: each has a name, a value, a least and a greatest value.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/status.hpp"

namespace halocline::core {

/// The API function that was called, and the rank that called it; below 0: not known.
struct Caller {
  const char *call;
  int rank = -1;

  /// "hlc_call on rank 1".
  std::string text() const { return rank < 0 ? call : std::string(call) + " on rank " + std::to_string(rank); }
};

struct Bound {
  const char *name;
  std::int64_t value, least, greatest;
  const char *rest = nullptr;  // end of the message; null: " but must be LEAST to GREATEST"
};

/// A flag: "reverse is 7 but must be 0 or 1".
inline Bound flag(const char *name, int value) { return {name, value, 0, 1, " but must be 0 or 1"}; }

/// HLC_ERR_ARGUMENT: "hlc_call on rank 1: name is 7 but must be 0 to 2".
Status out_of_bounds(const Caller &caller, const Bound &bound);

/// Fails for the first value outside its bounds.
inline Status check_bounds(const Caller &caller, std::initializer_list<Bound> bounds) {
  for (const Bound &bound : bounds)
    if (bound.value < bound.least || bound.value > bound.greatest) return out_of_bounds(caller, bound);
  return Status::ok;
}

}  // namespace halocline::core
