// Rows of values along z, read where a swap says that they are: in the block, around it, or reflected by a wall.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "swap.hpp"

namespace boltzmann {

/// A row of a distribution after streaming: to[z] is what velocity i brings to site (x, y, z). base: the component of velocity 0. What comes
/// from a wall is what has gone there, turned round: the wall is half a spacing behind the site.
void pull(const Swap &swap, int turn, int base, int i, std::int64_t x, std::int64_t y, double *to);

/// A row of a value with the sites beyond its ends: to[0] is site z = -1. x and y may be beside the block. Beyond a wall is the value of the
/// site before it.
void read(const Swap &swap, int turn, int component, std::int64_t x, std::int64_t y, double *to);

}  // namespace boltzmann
