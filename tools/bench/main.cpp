// halocline-bench: measures halo swaps, and what goes between two ranks. Runs under the MPI launcher; every rank reads the command line, rank 0 speaks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "allreduce.hpp"
#include "command_line.hpp"
#include "distrust.hpp"
#include "mesh.hpp"
#include "overlap.hpp"
#include "pair_bench.hpp"
#include "petsc_grid.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "rma.hpp"
#include "windows.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

using namespace bench;

/// One line on stderr that is written over, on rank 0 of a terminal or where it was asked for.
class ProgressLine {
 public:
  ProgressLine(const HaloOptions &options, int rank) : on_(rank == 0 && (options.progress || isatty(STDERR_FILENO))) {}
  ~ProgressLine() {
    if (on_) std::fprintf(stderr, "\r%60s\r", "");
  }
  void operator()(const std::string &what, int done, int of) const {
    if (on_) std::fprintf(stderr, "\r%-40s %4d/%d ", what.c_str(), done, of);
  }

 private:
  bool on_;
};

int refuse(const std::string &why) {
  say({EXIT_FAILURE, "", "halocline-bench: " + why + "\n"});
  return EXIT_FAILURE;
}

int fail(const std::string &wrong) {
  say({EXIT_FAILURE, "", "WRONG HALO: " + wrong + "\n"});
  return EXIT_FAILURE;
}

template <class AnyReport>
void publish(const AnyReport &report, const std::string &json) {
  if (rank_of(MPI_COMM_WORLD) != 0) return;
  std::fputs(table_of(report).c_str(), stdout);
  if (json.empty()) return;
  write_json(report, json);
  std::printf("written: %s\n", json.c_str());
}

void pretend_nodes(int nodes) {
  if (nodes > 0) setenv("HALOCLINE_FAKE_NODES", std::to_string(nodes).c_str(), 1);
}

int run_halo(const HaloOptions &options, int argc, char **argv) {
  pretend_nodes(options.fake_nodes);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const halocline::Context context(comm);
  const Comm node = machine_of(comm);
  Problem problem(context, options);

  // Who takes part: the hand-written swap, the modes, PETSc where it was found, and the limit last.
  std::map<std::string, std::string> skipped;
  Contenders contenders = make_contenders(context, problem, options, comm, skipped);
  add_petsc_grids(problem, comm, contenders);
  contenders.push_back(make_limit(problem, comm, node));
  Handover handover(node);

  // Verified before the measurement and after it.
  Race race(problem, contenders, options, comm);
  {
    const ProgressLine progress(options, rank_of(comm));
    if (auto wrong = race.verify(options.warmups, progress)) return fail(*wrong);
    race.run(handover, progress);
    if (auto wrong = race.verify(1, progress)) return fail(*wrong + " (after the measurement)");
  }
  publish(make_report(find_environment(context, argc, argv), options, problem, race, skipped), options.json);
  return EXIT_SUCCESS;
}

/// A command between two ranks: measures and publishes.
template <class Run>
int run_between_two(const PairOptions &options, Run run) {
  if (size_of(MPI_COMM_WORLD) != 2) return refuse("this command is for 2 ranks");
  pretend_nodes(options.fake_nodes);
  try {
    publish(run(), options.json);
    return EXIT_SUCCESS;
  } catch (const halocline::Error &error) {
    if (error.status() != HLC_ERR_UNSUPPORTED) throw;
    return refuse(std::string("cannot be measured here: ") + error.what());
  }
}

int run_reductions(const PairOptions &options, int argc, char **argv) {
  pretend_nodes(options.fake_nodes);
  publish(run_allreduce(MPI_COMM_WORLD, options, argc, argv), options.json);
  return EXIT_SUCCESS;
}

int run_calls(const PairOptions &options, int argc, char **argv) {
  publish(run_rma(MPI_COMM_WORLD, options, argc, argv), options.json);
  return EXIT_SUCCESS;
}

int run_window_kinds(const PairOptions &options, int argc, char **argv) {
  publish(run_windows(MPI_COMM_WORLD, options, argc, argv), options.json);
  return EXIT_SUCCESS;
}

int run_meshes(const MeshOptions &options, int argc, char **argv) {
  publish(run_mesh(MPI_COMM_WORLD, options, argc, argv), options.json);
  return EXIT_SUCCESS;
}

int run_pair_command(const CommandLine &asked, int argc, char **argv) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const PairOptions &options = asked.pair;
  if (asked.command == Command::overlap) return run_between_two(options, [&] { return run_overlap(comm, options, argc, argv); });
  if (asked.command == Command::progress) return run_between_two(options, [&] { return run_progress(comm, options, argc, argv); });
  const bool streams = asked.command == Command::bandwidth;
  return run_between_two(options, [&] { return run_pair(comm, options, streams, argc, argv); });
}

int run(const CommandLine &asked, int argc, char **argv) {
  if (asked.command == Command::none) return say(asked.answer), asked.answer.status;
  if (asked.command == Command::halo) return run_halo(asked.halo, argc, argv);
  if (asked.command == Command::allreduce) return run_reductions(asked.pair, argc, argv);
  if (asked.command == Command::rma) return run_calls(asked.pair, argc, argv);
  if (asked.command == Command::windows) return run_window_kinds(asked.pair, argc, argv);
  if (asked.command == Command::mesh) return run_meshes(asked.mesh, argc, argv);
  return run_pair_command(asked, argc, argv);
}

}  // namespace

int main(int argc, char **argv) {
  const halocline::Mpi mpi;
  try {
    return run(parse(argc, argv), argc, argv);
  } catch (const bench::Refusal &error) {
    return refuse(error.what());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "halocline-bench, rank %d: %s\n", rank_of(MPI_COMM_WORLD), error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  return EXIT_FAILURE;
}
