// The loops of the operations: one function per operation and type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/elements/basic.hpp"
#include "engine/elements/operation.hpp"

namespace halocline::core::elements {

/// target = target op origin for each element of a row; `result` is not looked at.
using Kernel = void (*)(const Row &row);

/// Null if the operation is not defined for the type, and for replace and no_op, which need none.
Kernel kernel_of(Operation op, Basic type);

}  // namespace halocline::core::elements
