// SPDX-License-Identifier: BSD-3-Clause
#include "watchdog.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "progress.hpp"

namespace doctor {
namespace {

constexpr auto kTick = std::chrono::milliseconds(20);
// The time that the other ranks get to write where they are, and rank 0 for its last words, before the launcher sees this one end.
constexpr auto kGrace = std::chrono::milliseconds(300);
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

struct State {
  Watch watch;
  int file = -1;
  Progress progress;
  std::atomic<const char *> probe{nullptr}, call{""};
  std::atomic<double> limit_s{0};
  std::atomic<int> turn{0};  ///< counts the probes, so that the guard knows a new one
  char phase[160] = "";
};
/// Never destroyed: the guard goes on looking at it while the process's exit handlers run.
State &state = *new State;

/// One write, so that the lines of several ranks do not mix.
void report(const char *outcome, const char *what) {
  const char *probe = state.probe.load();
  char line[512];
  const int length = std::snprintf(line, sizeof line, "{\"probe\":\"%s\",\"rank\":%d,\"outcome\":\"%s\",\"text\":\"%s in %s%s%s\"}\n",
                                   probe ? probe : "", state.watch.rank, outcome, what,
                                   *state.call.load() ? state.call.load() : "no MPI call", *state.phase ? ", " : "", state.phase);
  if (state.file < 0 || write(state.file, line, static_cast<std::size_t>(length)) != length) {
    // The report is elsewhere, or full: the launcher's output is the next best place.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line, static_cast<std::size_t>(length));
  }
}

[[noreturn]] void end() {
  report("hangs", "hangs");
  std::this_thread::sleep_for(kGrace);
  if (state.watch.last_words)
    state.watch.last_words();
  else
    std::this_thread::sleep_for(kGrace);
  _exit(1);
}

void guard() {
  Patience patience;
  for (int seen = 0;; std::this_thread::sleep_for(kTick)) {
    const double limit_s = state.limit_s.load();
    if (limit_s <= 0) continue;
    const std::uint64_t sum = state.progress.sum();
    if (const int turn = state.turn.load(); turn != seen) {
      seen = turn;
      patience.begin(limit_s, sum);
    } else if (patience.is_over(sum)) {
      end();
    }
  }
}

void on_crash(int signal) {
  char text[64];
  std::snprintf(text, sizeof text, "crashes by signal %d (%s)", signal, strsignal(signal));
  report("crashes", text);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

std::string text_of(const char *call, int code) {
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  for (char *c = text; *c; ++c)
    if (*c == '\n') *c = ' ';
  return std::string(call) + " returned an error: " + text;
}

}  // namespace

Refused::Refused(const char *call, int code) : std::runtime_error(text_of(call, code)) {
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(code, &error_class);
  is_lack_ = error_class == MPI_ERR_UNSUPPORTED_OPERATION || error_class == MPI_ERR_RMA_FLAVOR || error_class == MPI_ERR_RMA_SHARED;
}

void watch(Watch watch) {
  // A rank whose launcher was killed must not spin on.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  state.file = open(watch.results.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  state.progress = Progress(watch.progress, watch.ranks);
  state.watch = std::move(watch);
  for (const int signal : kSignals) std::signal(signal, on_crash);
  std::thread(guard).detach();
}

void watch_probe(const char *probe, double limit_s) {
  state.phase[0] = '\0';
  state.call = "";
  state.probe = probe;
  state.turn += 1;
  state.limit_s = limit_s;
}

void watch_phase(const std::string &phase) { std::snprintf(state.phase, sizeof state.phase, "%s", phase.c_str()); }
void watch_call(const char *call, bool counts) {
  state.call.store(call, std::memory_order_relaxed);
  if (counts) state.progress.count(state.watch.rank);
}
const char *watched_phase() { return state.phase; }

}  // namespace doctor
