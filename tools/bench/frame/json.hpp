// What the reports of the bench begin with.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/shared.hpp"

#include <common/json.hpp>

namespace bench {

/// What the report of a bench between two ranks begins with; its results come after.
Json opening(const std::string &benchmark, const Environment &environment, const std::string &network);

}  // namespace bench
