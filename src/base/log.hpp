// What the library says on its own: only things that a user asked for and does not get, each once. Nothing on success.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline {

/// Writes "halocline: <text>" to stderr, unless the same text was written before or HALOCLINE_QUIET is set.
[[gnu::format(printf, 1, 2)]] void report_once(const char *format, ...);

}  // namespace halocline
