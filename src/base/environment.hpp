// The environment variables that the library reads, all with the prefix HALOCLINE_. Read at init, never on the hot path.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/status.hpp"

namespace halocline::core {

/// Returns HALOCLINE_<name>, or "" if it is not set. Allocates nothing.
const char *environment(const char *name);

/// Reads HALOCLINE_<name> as a whole number >= 0 into value, which keeps its default if the variable is not set. The error message
/// names the rank.
Status environment_number(const char *name, int rank, long &value);

}  // namespace halocline::core
