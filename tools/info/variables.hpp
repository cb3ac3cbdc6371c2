// The environment variables with the prefix HALOCLINE_.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/json.hpp>

namespace info {

/// Each variable of the library and of its tests with value, default and origin, and those that are set and unknown.
common::Json variables();

}  // namespace info
