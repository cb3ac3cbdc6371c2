// The ranks that run probes: one after the other, each result appended to a file as soon as all ranks have told theirs to rank 0.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

#include "options.hpp"

namespace doctor {

/// Runs all probes that the options choose, from options.first on; results go to the files of a Scratch folder. A rank that hangs says its last words. Collective over comm.
void run_probes(const Options &options, const std::string &folder, MPI_Comm comm, std::function<void()> last_words = {});

/// The whole of a worker process: MPI_Init_thread, run_probes, MPI_Finalize.
int worker_main(const Options &options, int *argc, char ***argv);

/// The keys of the lines of a result file that are no findings.
inline constexpr const char *kBegin = "begin", *kEnd = "end", *kStarted = "started", *kFinished = "finished";

}  // namespace doctor
