// The names of all environment variables that belong to the library, so that a misspelled one is not passed over in silence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline {

/// Reports each variable that begins with HALOCLINE_ and is none that the library, its tools or its tests know.
void report_unknown_variables();

}  // namespace halocline
