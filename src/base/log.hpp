// Reports of the library on stderr: what a user asked for and does not get, each once. Nothing on success.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace halocline::core {

/// Writes "halocline: <text>" to stderr, unless a text of the same mode and reason was written before or HALOCLINE_QUIET is set.
/// `mode` and `reason` must live as long as the program. Any thread.
[[gnu::format(printf, 3, 4)]] void report_once(const char *mode, const char *reason, const char *format, ...);

/// Reports a broken rule on stderr; only the first few of each kind per process.
void report_rule(const std::string &kind, const std::string &text);

}  // namespace halocline::core
