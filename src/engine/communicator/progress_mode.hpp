// Who drives progress of the network: HALOCLINE_PROGRESS.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/status.hpp"

namespace halocline {

/// caller: whoever calls the library; spare: a thread as well, while nobody calls; thread: a thread, whenever something arrives; helper: a process
/// of each node, for what arrives for its segments.
enum class Progress : int { caller, spare, thread, helper };

/// True if each process has a thread of the library once its network is open.
inline bool has_progress_thread(Progress progress) { return progress == Progress::spare || progress == Progress::thread; }

/// Its word in HALOCLINE_PROGRESS.
const char *name_of(Progress progress);

/// Reads HALOCLINE_PROGRESS; the default is spare. The message of a failure names the rank, the value and the choices.
Status read_progress(int rank, Progress &progress);

}  // namespace halocline
