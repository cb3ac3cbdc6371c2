// Lines on stderr, and the counts behind the summary.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/interpose/fallback_report.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "base/environment.hpp"
#include "faces/mpi/collective/call_counts.hpp"

namespace halocline::core::mpi {
namespace {

bool informs() {
  static const bool on = std::strcmp(environment("LOG"), "info") == 0;
  return on;
}

std::atomic<int> known_rank = -1;

/// "rank 3: ", if the program has ranks of a world now, or had them when it ended MPI.
std::string message_prefix() {
  remember_rank();
  return known_rank < 0 ? "" : "rank " + std::to_string(known_rank) + ": ";
}

struct Counts {
  const pid_t process = getpid();
  std::mutex mutex;
  std::map<std::string, int> carried, left;  // by call; by call and reason
};

Counts &counts() {
  static auto *const all = new Counts;
  return *all;
}

std::string listed(const std::map<std::string, int> &numbers) {
  std::string text;
  for (const auto &[what, number] : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number) + " by " + what;
  return text.empty() ? "none" : text;
}

}  // namespace

bool has_world() {
  int begun = 0, ended = 0;
  PMPI_Initialized(&begun);
  PMPI_Finalized(&ended);
  return begun && !ended;
}

void remember_rank() {
  int rank = 0;
  if (has_world() && PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS) known_rank = rank;
}

void inform(const char *format, ...) {
  if (!informs()) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "halocline: %s%s\n", message_prefix().c_str(), text);
}

void count_carried(const char *call) {
  const std::lock_guard lock(counts().mutex);
  counts().carried[call] += 1;
}

bool may_leave_to_host(const char *call, const std::string &reason) {
  {
    const std::lock_guard lock(counts().mutex);
    counts().left[std::string(call) + " (" + reason + ")"] += 1;
  }
  inform("%s: the host MPI carries this window: %s", call, reason.c_str());
  const bool strict = std::strcmp(environment("MPI_STRICT"), "1") == 0;
  if (strict)
    std::fprintf(stderr, "halocline: %s%s: the engine cannot carry this window (HALOCLINE_MPI_STRICT=1): %s\n", message_prefix().c_str(),
                 call, reason.c_str());
  return !strict;
}

void summarise() {
  // A child of the process has the counts of its parent.
  if (counts().process != getpid()) return;
  if (const std::string collectives = take_collective_counts(); !collectives.empty()) inform("%s", collectives.c_str());
  const std::lock_guard lock(counts().mutex);
  if (counts().carried.empty() && counts().left.empty()) return;
  inform("windows carried: %s; left to the host MPI: %s", listed(counts().carried).c_str(), listed(counts().left).c_str());
  counts().carried.clear();
  counts().left.clear();
}

namespace {

/// Programs with sessions alone never call MPI_Finalize.
[[gnu::destructor]] void summarise_at_exit() { summarise(); }

}  // namespace

}  // namespace halocline::core::mpi
