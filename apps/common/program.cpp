// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include "comm.hpp"

#include <halocline/halocline.hpp>

#include <chrono>
#include <cstdio>
#include <thread>

namespace common {

static constexpr int kCannotRun = 2;

int say(const Answer &answer) {
  if (rank_of(MPI_COMM_WORLD) == 0) {
    std::fputs(answer.out.c_str(), stdout);
    std::fputs(answer.err.c_str(), stderr);
    std::fflush(stdout);
  }
  return answer.status == 0 ? 0 : kCannotRun;
}

int run_program(const char *name, const std::function<int()> &run) {
  const halocline::Mpi mpi;
  try {
    return run();
  } catch (const halocline::Error &error) {
    if (rank_of(MPI_COMM_WORLD) == 0) std::fprintf(stderr, "%s: %s\n", name, error.what());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s, rank %d: %s\n", name, rank_of(MPI_COMM_WORLD), error.what());
    // Launchers forward what ranks have written a little later, and some drop what is left when a rank aborts.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    MPI_Abort(MPI_COMM_WORLD, kCannotRun);
  }
  return kCannotRun;
}

}  // namespace common
