// What a wrong call and a failure do: one message, and the end of all PEs. OpenSHMEM has no return values for either.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/status.hpp"

namespace halocline::core::shmem {

/// Writes "halocline: <text>" (printf rules) to stderr and ends all PEs with status 1. Any thread.
[[noreturn, gnu::format(printf, 1, 2), gnu::cold]] void stop(const char *format, ...);

/// Stops with the engine's message unless the status is ok.
void must(Status status);

/// Ends all PEs: shmem_global_exit.
[[noreturn]] void end_all(int status);

}  // namespace halocline::core::shmem
