// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include "comm.hpp"
#include "printed.hpp"

#include <halocline/halocline.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

namespace common {

static constexpr int kCannotRun = 2;

int say(const Answer &answer) {
  if (rank_of(MPI_COMM_WORLD) == 0) {
    std::fputs(answer.out.c_str(), stdout);
    std::fputs(answer.err.c_str(), stderr);
  }
  return answer.status == 0 ? 0 : kCannotRun;
}

namespace {

/// Whether all ranks come here within two seconds. `failures` is for nothing else: other ranks may be in any call on another communicator.
bool have_all_failed(MPI_Comm failures) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(failures, &request);
  int all = 0;
  for (const double begin = MPI_Wtime(); !all && MPI_Wtime() - begin < 2;) {
    MPI_Test(&request, &all, MPI_STATUS_IGNORE);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return all != 0;
}

/// What the handler below needs, which gets no arguments.
struct Running {
  const char *name = "";
  MPI_Comm failures = MPI_COMM_NULL;
} running;

[[noreturn]] void end_job(const std::exception &error) {
  std::fprintf(stderr, "%s, rank %d: %s\n", running.name, rank_of(MPI_COMM_WORLD), error.what());
  // Launchers forward what ranks have written a little later, and some drop what is left when a rank aborts.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  MPI_Abort(MPI_COMM_WORLD, kCannotRun);
  std::abort();
}

/// All ranks are here.
[[noreturn]] void end_together(const std::exception &error) {
  std::fflush(stdout);
  if (rank_of(running.failures) == 0) std::fprintf(stderr, "%s: %s\n", running.name, error.what());
  const bool is_alone = size_of(running.failures) == 1;
  MPI_Finalize();
  // At exit MPICH takes leave of its launcher, which else kills the ranks that are left, and ends with their signal. But HDF5 crashes there
  // where it could not write a file, as only ranks that are alone come here with.
  is_alone ? std::_Exit(kCannotRun) : std::exit(kCannotRun);
}

/// Called by std::terminate where an exception is thrown that nobody catches, with the stack as it was there.
[[noreturn]] void end_run() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception &error) {
    have_all_failed(running.failures) ? end_together(error) : end_job(error);
  } catch (...) {
  }
  std::abort();
}

}  // namespace

int try_to_write(const std::function<void()> &write) {
  try {
    write();
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: %s\n", running.name, error.what());
    return kCannotRun;
  }
}

int run_program(const char *name, const std::function<int()> &run, bool with_threads) {
  const halocline::Mpi mpi(with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
  MPI_Comm dup = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  const Comm failures(dup);
  running = {name, failures};
  const std::terminate_handler before = std::set_terminate(end_run);
  const int status = run();
  std::set_terminate(before);
  return end_of_output(name, status, kCannotRun);
}

}  // namespace common
