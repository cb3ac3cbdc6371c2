// The text of share/default_card.json, which the build puts into the library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::core {

extern const char *const kDefaultCard;

}  // namespace halocline::core
