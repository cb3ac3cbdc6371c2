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

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

using namespace bench;

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

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

/// The communicator of the ranks that truly share memory, whatever nodes are pretended.
class NodeComm {
 public:
  explicit NodeComm(MPI_Comm all) { MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm_); }
  ~NodeComm() { MPI_Comm_free(&comm_); }
  NodeComm(const NodeComm &) = delete;
  NodeComm &operator=(const NodeComm &) = delete;
  operator MPI_Comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

int say(const std::string &text) {
  if (rank_of(MPI_COMM_WORLD) == 0) std::fprintf(stderr, "halocline-bench: %s\n", text.c_str());
  return EXIT_FAILURE;
}

/// The commands between two ranks want two.
bool two_ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size == 2;
}

int fail(const std::string &wrong) {
  if (rank_of(MPI_COMM_WORLD) == 0) std::fprintf(stderr, "WRONG HALO: %s\n", wrong.c_str());
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
  const NodeComm node(comm);
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
  if (!two_ranks()) return say("this command is for 2 ranks");
  pretend_nodes(options.fake_nodes);
  try {
    publish(run(), options.json);
    return EXIT_SUCCESS;
  } catch (const halocline::Error &error) {
    if (error.status() != HLC_ERR_UNSUPPORTED) throw;
    return say(std::string("cannot be measured here: ") + error.what());
  }
}

int run_reductions(const PairOptions &options, int argc, char **argv) {
  pretend_nodes(options.fake_nodes);
  publish(run_allreduce(MPI_COMM_WORLD, options, argc, argv), options.json);
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

/// Help and complaints come from rank 0 alone.
int say_once(const CommandLine &asked) {
  if (rank_of(MPI_COMM_WORLD) == 0) {
    std::fputs(asked.out.c_str(), stdout);
    std::fputs(asked.err.c_str(), stderr);
    std::fflush(stdout);
  }
  return asked.status;
}

int run(const CommandLine &asked, int argc, char **argv) {
  if (asked.command == Command::none) return say_once(asked);
  if (asked.command == Command::halo) return run_halo(asked.halo, argc, argv);
  if (asked.command == Command::allreduce) return run_reductions(asked.pair, argc, argv);
  if (asked.command == Command::mesh) return run_meshes(asked.mesh, argc, argv);
  return run_pair_command(asked, argc, argv);
}

}  // namespace

int main(int argc, char **argv) {
  const halocline::Mpi mpi;
  try {
    return run(parse(argc, argv), argc, argv);
  } catch (const bench::Refusal &error) {
    return say(error.what());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "halocline-bench, rank %d: %s\n", rank_of(MPI_COMM_WORLD), error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  return EXIT_FAILURE;
}
