// halocline-doctor: tries the MPI under it. Every rank of the launch checks that launcher and library match; then rank 0 starts the launch
// again and again, each time with a batch of probes, and reports.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include <common/identity.hpp>
#include <common/printed.hpp>

#include "drop_in.hpp"
#include "interrupt.hpp"
#include "launch.hpp"
#include "options.hpp"
#include "probe.hpp"
#include "report.hpp"
#include "runner.hpp"
#include "scratch.hpp"
#include "worker.hpp"

namespace {

using namespace doctor;
using Clock = std::chrono::steady_clock;

constexpr double kInitLimit_s = 60;
constexpr int kFault = 1, kUsage = 2;

/// What is true of the launch as a whole.
struct Launch {
  int rank = 0, size = 1;
  Clock::time_point began = Clock::now();
  std::string words = "no launcher, one rank";
  std::optional<LaunchCommand> again;  ///< on rank 0: how to start it once more
};

Report make_report(const Options &options, const Launch &launch, std::vector<Result> results) {
  Report report;
  report.mpi = common::mpi_library();
  report.mpi_short = common::short_mpi(report.mpi);
  report.host = common::host_name();
  report.date = common::now_utc();
  report.launch = launch.words;
  report.ranks = launch.size;
  report.complete = options.only.empty();
  report.modes = judge_modes(results);
  report.results = std::move(results);
  report.seconds = std::chrono::duration<double>(Clock::now() - launch.began).count();
  return report;
}

/// Calls `write`; a file that can't be written is said on stderr, with what helps. Returns false then.
template <class Write>
bool try_to_write(Write write, const char *help) {
  try {
    write();
    return true;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "halocline-doctor: %s%s\n", error.what(), help);
    return false;
  }
}

/// Keeps a verdict that speaks for the machine: of all probes, on more than one rank.
void keep(const Options &options, const Report &report) {
  if (options.no_cache || !report.complete || report.ranks < 2) return;
  const std::string path = report_path(report.mpi, report.host);
  if (path.empty()) return;
  const auto write = [&] {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    write_json(report, path);
  };
  if (!try_to_write(write, "; the report is not kept; set XDG_CACHE_HOME to another folder, or give --no-cache")) return;
  std::printf("kept for halocline-bench: %s\n", path.c_str());
}

/// What was found is printed before a file is written. One that can't be kept leaves the status alone, one that was asked for does not.
int publish(const Options &options, const Report &report) {
  std::fputs(text_of(report, options.verbose).c_str(), stdout);
  std::fflush(stdout);
  const bool written = options.json.empty() || try_to_write([&] { write_json(report, options.json); }, "; give --json another file");
  keep(options, report);
  std::fflush(stdout);
  return !written ? kUsage : report.has_fault() ? kFault : 0;
}

/// Rank 0 drives, after MPI_Finalize; the other ranks have ended.
int run_again(const Options &options, const Launch &launch) {
  note_interrupts(claimed_launch().by_launcher());
  Report report = make_report(options, launch, run_batches(options, *launch.again, launch.size).results);
  report.drop_in = try_drop_in(options, *launch.again, launch.size);
  return publish(options, report);
}

/// Makes the folder on rank 0 and tells all ranks its name.
std::string share_folder(const Launch &launch, std::optional<Scratch> &scratch) {
  char name[4096] = "";
  if (launch.rank == 0) {
    scratch.emplace().clear(launch.size);
    std::snprintf(name, sizeof name, "%s", scratch->folder().c_str());
  }
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  return name;
}

/// All ranks run the probes themselves; rank 0 reads what they wrote, also when a probe hangs.
int run_here(const Options &options, const Launch &launch) {
  std::optional<Scratch> scratch;
  const std::string folder = share_folder(launch, scratch);
  const auto report = [&] {
    const Finding unfinished{Outcome::hangs, 0, "", "did not end"};
    return publish(options, make_report(options, launch, read_results(options, Scratch::results(folder), unfinished)));
  };
  const std::function<void()> last_words = [&] {
    report();
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  };
  run_probes(options, folder, MPI_COMM_WORLD, launch.rank == 0 ? last_words : std::function<void()>());
  MPI_Finalize();
  return launch.rank == 0 ? report() : 0;
}

/// Starts MPI and compares what it says with what the launcher says; the answer is empty if they agree.
std::string begin(Launch &launch, int *argc, char ***argv) {
  const LaunchClaim claim = claimed_launch();
  int provided = 0;
  {
    const InitGuard guard(kInitLimit_s);
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &launch.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &launch.size);
  if (claim.by_launcher()) launch.words = "launcher and library match (" + claim.variable + ")";
  const std::string wrong = mismatch(claim, launch.size);
  if (!wrong.empty() && claim.rank == 0) std::fprintf(stderr, "halocline-doctor: %s\n", wrong.c_str());
  return wrong;
}

int examine(const Options &options, int argc, char **argv) {
  Launch launch;
  if (!begin(launch, &argc, &argv).empty()) {
    MPI_Finalize();
    let_rank_0_speak(claimed_launch());
    return kLaunchMismatch;
  }
  int here = options.in_launch;
  if (launch.rank == 0 && !here) launch.again = find_launch(argv[0], claimed_launch().by_launcher());
  if (launch.rank == 0 && !launch.again) here = 1;
  MPI_Bcast(&here, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (here) {
    launch.words += "; probes in this launch, a hang ends it";
    return run_here(options, launch);
  }
  MPI_Finalize();
  return launch.rank == 0 ? run_again(options, launch) : 0;
}

/// A pattern that no probe has must not read as "nothing is wrong".
bool chooses_nothing(const Options &options) {
  const auto chosen = [&](const Probe &probe) { return options.chooses(probe.name); };
  return std::none_of(all_probes().begin(), all_probes().end(), chosen);
}

int refuse_choice(const Options &options) {
  if (claimed_launch().rank == 0)
    std::fprintf(stderr, "halocline-doctor: --only '%s' is in no probe's name; --list names them\n", options.only.c_str());
  return kUsage;
}

int list() {
  for (const Probe &probe : all_probes()) std::printf("%-28s %s\n", probe.name.c_str(), probe.calls.c_str());
  return 0;
}

int run(int argc, char **argv) {
  Options options;
  std::string text;
  if (const int status = parse(argc, argv, options, text); status >= 0) {
    if (claimed_launch().rank == 0) std::fputs(text.c_str(), status == 0 ? stdout : stderr);
    return status;
  }
  if (chooses_nothing(options)) return refuse_choice(options);
  if (options.list) return claimed_launch().rank == 0 ? list() : 0;
  try {
    return options.is_worker() ? worker_main(options, &argc, &argv) : examine(options, argc, argv);
  } catch (const Interrupted &end) {
    std::fprintf(stderr, "halocline-doctor: %s; the probes have been ended, and nothing is kept of them\n", end.what());
    return 128 + end.signal();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "halocline-doctor: %s\n", error.what());
    return kLaunchMismatch;
  }
}

}  // namespace

int main(int argc, char **argv) { return common::end_of_output("halocline-doctor", run(argc, argv), kUsage); }
