// Statuses and the one-sentence message that goes with a failure. Every layer uses them; the C API returns them unchanged.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::core {

/// The result of a call; the values are those of hlc_status, as status.cpp checks. `again` means "not yet" and is not an error.
enum class [[nodiscard]] Status : int {
  ok = 0,
  again = 1,
  argument = 2,
  state = 3,
  memory = 4,
  mismatch = 5,
  timeout = 6,
  peer_died = 7,
  mpi = 8,
  unsupported = 9,
  rule = 10,
  device = 11,
};

/// True for a status that is a failure, which `again` is not.
inline bool failed(Status status) { return status != Status::ok && status != Status::again; }

/// Sets this thread's message (printf rules) and returns the status, so that a failing line reads `return fail(...)`.
[[gnu::format(printf, 2, 3)]] Status fail(Status status, const char *format, ...);

/// This thread's message. The function that detects the error writes it; its callers do not overwrite it.
const char *error_message();

/// Turns an MPI return code into a status, with the name of the MPI call and MPI's own text as the message.
Status check_mpi(int code, const char *call);

}  // namespace halocline::core

/// Returns from the calling function when an expression fails; the only macro of the library. The counter makes names unique where the
/// expression contains a lambda that uses the macro too.
#define HLC_TRY(expression) HLC_TRY_NAMED_(expression, __COUNTER__)
#define HLC_TRY_NAMED_(expression, number) HLC_TRY_AS_(expression, number)
#define HLC_TRY_AS_(expression, number)                                                                                                  \
  do {                                                                                                                                   \
    if (::halocline::core::Status hlc_try_##number = (expression); ::halocline::core::failed(hlc_try_##number)) return hlc_try_##number; \
  } while (0)
