// How the functions fail. A wrong argument that ARMCI has a code for is printed and returned; everything else ends all processes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/status.hpp"

namespace halocline::core::armci {

/// Prints this thread's message and ends all processes.
[[noreturn]] void end_all();
/// The same with a message of its own (printf rules).
[[noreturn, gnu::format(printf, 1, 2)]] void end_all_with(const char *format, ...);
/// Ends all ranks without a message. The exit status is the code, or 1 if that is 0.
[[noreturn]] void end_all_at(int code);
/// A call outside of ARMCI_Init and ARMCI_Finalize.
[[noreturn]] void end_without_job(const char *call);
/// Prints a message (printf rules), and returns the code.
[[gnu::format(printf, 2, 3)]] int refuse(int code, const char *format, ...);

/// The rank of this process, for messages; -1 if there is no job.
int rank_or_none();
/// Ends all processes if an argument of a function without a code is null.
void need_argument(const char *call, const char *name, const void *argument);

/// Ends all processes after a failure.
inline void settle(Status status) {
  if (failed(status)) end_all();
}

}  // namespace halocline::core::armci
