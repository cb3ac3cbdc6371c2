// What other calls need of the notifications of a window.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {

/// An error if notification requests of the window have not been freed; else MPI_SUCCESS.
int refuse_open_requests(const Window &window);

/// An error if the window has no such notification; else MPI_SUCCESS.
int check_notification(const Window &window, int notification);

/// A window that is not ours, or none: calls its error handler, which says why, and returns the code.
int refuse_foreign_window(MPI_Win win);

/// The same in a function that the program calls, whose name the message has from its frame: not a tail call.
inline int refuse_foreign(MPI_Win win) {
  const int code = refuse_foreign_window(win);
  asm volatile("");
  return code;
}

/// A function of the host MPI that most MPIs lack; null if this one does. Not of a library between, such as libhalocline_mpix.
void *host_function(const char *name);

/// As with_window, for functions that the host MPI does not have.
template <class Work>
int with_own_window(MPI_Win win, Work work) {
  return with_window(win, work, [=] { return refuse_foreign(win); });
}

}  // namespace halocline::core::mpi
