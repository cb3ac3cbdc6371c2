// Arguments with bounds, as lists: a name, a value, the least and the greatest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/status.hpp"

namespace halocline {

/// The function of the API that was called, and by which rank; below 0: it has none.
struct Caller {
  const char *call;
  int rank = -1;
};

struct Bound {
  const char *name;
  std::int64_t value, least, greatest;
  const char *rest = nullptr;  // how the sentence goes on; NULL: ", it must be LEAST to GREATEST"
};

/// HLC_ERR_ARGUMENT: "hlc_call on rank 1: name is 7, it must be 0 to 2".
Status out_of_bounds(const Caller &caller, const Bound &bound);

/// Fails for the first value that lies outside its bounds.
inline Status check_bounds(const Caller &caller, std::initializer_list<Bound> bounds) {
  for (const Bound &bound : bounds)
    if (bound.value < bound.least || bound.value > bound.greatest) return out_of_bounds(caller, bound);
  return Status::ok;
}

}  // namespace halocline
