// Elements, operations and runs are the engine's (engine/elements), which carries accumulates out for other nodes. Here they have short names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/elements/basic.hpp"
#include "engine/elements/operation.hpp"
#include "engine/elements/steps.hpp"

namespace halocline::mpi {

using namespace core::elements;  // NOLINT(google-build-using-namespace): one vocabulary
using core::elements::Swap;  // not that of the C++ interface

}  // namespace halocline::mpi
