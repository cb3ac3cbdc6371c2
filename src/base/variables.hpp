// The names of all environment variables of the library, so that a misspelled one is reported.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::core {

/// Reports each variable that begins with HALOCLINE_ and is not known to the library, its tools or its tests.
void report_unknown_variables();

}  // namespace halocline::core
