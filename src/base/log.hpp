// What the library says on its own: only things that a user asked for and does not get, each once. Nothing on success.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace halocline {

/// Writes "halocline: <text>" to stderr, unless a text of the same mode and reason was written before or HALOCLINE_QUIET is set. Both are
/// texts that live as long as the program. Any thread.
[[gnu::format(printf, 3, 4)]] void report_once(const char *mode, const char *reason, const char *format, ...);

/// Writes a broken rule to stderr. Of each kind only the first few of a process are written.
void report_rule(const std::string &kind, const std::string &text);

}  // namespace halocline
