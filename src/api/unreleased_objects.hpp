// What a context that is to be closed still has, in words, with the calls that release it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "engine/context/context.hpp"

namespace halocline::core::api {

/// What was made from a context on this rank and has not been released; empty: nothing.
std::string unreleased_objects(const Context &context);

}  // namespace halocline::core::api
