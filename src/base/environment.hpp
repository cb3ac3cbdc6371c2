// The environment variables that the library reads, all with the prefix HALOCLINE_. Read at init, never on the hot path.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>

#include "base/status.hpp"

namespace halocline::core {

/// Returns HALOCLINE_<name>, or "" if it is not set. Allocates nothing.
const char *environment(const char *name);

/// Reads HALOCLINE_<name> as a whole number >= 0 into value, which keeps its default if the variable is not set. The error message
/// begins with the call and the rank. Allocates nothing.
Status environment_number(const char *who, const char *name, long &value);

/// Fails unless HALOCLINE_<name> is not set or one of these words. Allocates nothing.
Status check_word(const char *who, const char *name, std::initializer_list<const char *> words);

}  // namespace halocline::core
