// The environment variables that the library reads, all with the prefix HALOCLINE_. Read at init, never on the hot path.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/status.hpp"

namespace halocline {

/// Returns HALOCLINE_<name>, or "" if it is not set.
std::string environment(const char *name);

/// Reads HALOCLINE_<name> as a whole number >= 0 into value, which keeps its default if the variable is not set.
Status environment_number(const char *name, long &value);

}  // namespace halocline
