// Messages of failures, and the end of all processes.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/armci/failure.hpp"

#include <mpi.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <ctime>

#include "base/mpi_end.hpp"

namespace halocline::core::armci {
namespace {

/// Launchers lose what a process has written just before MPI_Abort.
constexpr std::timespec kForTheLauncher{0, 100'000'000};

[[gnu::format(printf, 1, 0)]] void print(const char *format, std::va_list values) {
  char text[1024];
  std::vsnprintf(text, sizeof text, format, values);
  std::fprintf(stderr, "halocline: %s\n", text);
  std::fflush(stderr);
}

}  // namespace

void end_all() { end_all_with("%s", error_message()); }

void end_all_with(const char *format, ...) {
  std::va_list values;
  va_start(values, format);
  print(format, values);
  va_end(values);
  end_all_at(1);
}

void end_all_at(int code) {
  const int status = code != 0 ? code : 1;
  int begun = 0;
  MPI_Initialized(&begun);
  nanosleep(&kForTheLauncher, nullptr);
  if (begun != 0 && !mpi_has_ended()) MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

void end_without_job(const char *call) {
  if (mpi_has_ended()) end_all_with("%s: MPI has been finalised", call);
  end_all_with("%s: ARMCI has not been initialised; call ARMCI_Init first", call);
}

int refuse(int code, const char *format, ...) {
  std::va_list values;
  va_start(values, format);
  print(format, values);
  va_end(values);
  return code;
}

}  // namespace halocline::core::armci
