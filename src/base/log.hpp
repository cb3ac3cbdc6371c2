// What the library says on its own: only things that a user asked for and does not get, each once. Nothing on success.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace halocline {

/// Writes "halocline: <text>" to stderr, unless a text with the same key was written before or HALOCLINE_QUIET is set.
[[gnu::format(printf, 2, 3)]] void report_once(const std::string &key, const char *format, ...);

}  // namespace halocline
