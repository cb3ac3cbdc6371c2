// The error message for a value outside its bounds.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/bounds.hpp"

#include <string>

namespace halocline::core {

Status out_of_bounds(const Caller &caller, const Bound &bound) {
  const std::string must = " but must be " + std::to_string(bound.least) + " to " + std::to_string(bound.greatest);
  return fail(Status::argument, "%s: %s is %lld%s", caller.text().c_str(), bound.name, static_cast<long long>(bound.value),
              bound.rest ? bound.rest : must.c_str());
}

}  // namespace halocline::core
