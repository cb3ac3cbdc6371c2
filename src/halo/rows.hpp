// Rows of a block with the rows around them, out of the views of its directions: the loops of hlc_for_rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/view.h>

#include "base/status.hpp"

namespace halocline::core {

/// See hlc_for_rows.
Status for_rows(const hlc_rows_spec *spec, hlc_row_fn body, void *user);

}  // namespace halocline::core
