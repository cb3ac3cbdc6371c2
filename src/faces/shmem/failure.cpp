// Ending all PEs.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/failure.hpp"

#include <mpi.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace halocline::core::shmem {

void end_all(int status) {
  std::fflush(nullptr);
  int running = 0, over = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&over);
  if (running && !over) MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

void stop(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "halocline: %s\n", text);
  // MPICH's launcher passes on what it has read when a process aborts, and no more.
  constexpr std::timespec moment{0, 200'000'000};
  nanosleep(&moment, nullptr);
  end_all(EXIT_FAILURE);
}

void must(Status status) {
  if (status != Status::ok) stop("%s", error_message());
}

}  // namespace halocline::core::shmem
