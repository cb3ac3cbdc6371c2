// What a program under the launcher begins and ends with: MPI, one speaker for help and complaints, and the exit status.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace common {

/// What there is to print where nothing runs: help or a complaint.
struct Answer {
  int status = 0;
  std::string out, err;
};

/// Rank 0 prints it. Returns the exit status: 0 for help, 2 for a complaint.
int say(const Answer &answer);

/// What a program that has done all else ends with, where rank 0 alone writes a file: 0, or 2 if `write` throws, whose reason is printed.
int try_to_write(const std::function<void()> &write);

/// Returns what `run` returns, which is called between MPI_Init, of any threads or of one, and MPI_Finalize; 2 if its output could not be written. Where all ranks throw
/// an exception, rank 0 prints its own, and the process ends with status 2. One that only some ranks throw ends the whole job, with their
/// messages. Nobody may catch it on the way here: no destructor runs, because those of plans, segments and windows would wait for the ranks
/// that have not thrown.
int run_program(const char *name, const std::function<int()> &run, bool with_threads = false);

}  // namespace common
