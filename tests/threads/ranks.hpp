// Threads play the ranks of a launch: each has its own rank, context and copy of the library's objects; only shared memory is shared.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "support/mpi_test.hpp"

namespace halocline::test {

/// Runs the body on that many ranks together, between hlc_init and hlc_finalise. Within it support/mpi_test.hpp refers to these ranks.
void as_ranks(int ranks, const std::function<void()> &body);

}  // namespace halocline::test
