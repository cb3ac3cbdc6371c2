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

/// Returns what `run` returns, which is called between MPI_Init and MPI_Finalize. Where all ranks throw an exception, rank 0 prints
/// its own, and the process ends with status 2. One that only some ranks throw ends the whole job, with their messages. Nobody may catch it on the way here: no destructor runs, because those of plans, segments and windows would wait for
/// the ranks that have not thrown.
int run_program(const char *name, const std::function<int()> &run);

}  // namespace common
