// What drives progress of the network: HALOCLINE_PROGRESS.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/status.hpp"

namespace halocline::core {

/// caller: the threads that call the library. spare: in addition a progress thread, while no thread calls. thread: a progress thread,
/// whenever something arrives. helper: a process of each node, for what arrives for the node's segments, and a spare thread while
/// requests of this process are under way.
enum class Progress : int { caller, spare, thread, helper };

/// True if each process has a progress thread once its network is open.
inline bool has_progress_thread(Progress progress) { return progress != Progress::caller; }

/// Its value in HALOCLINE_PROGRESS.
const char *name_of(Progress progress);

/// Reads HALOCLINE_PROGRESS; without it `progress` keeps its value. The error message names the rank, the value and the choices.
Status read_progress(int rank, Progress &progress);

}  // namespace halocline::core
