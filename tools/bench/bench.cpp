// Every rank reads the command line, rank 0 prints.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench.hpp"

#include "bench/auto/auto.hpp"
#include "bench/collectives/allreduce.hpp"
#include "bench/command_line.hpp"
#include "bench/frame/publisher.hpp"
#include "bench/frame/refusal.hpp"
#include "bench/frame/team.hpp"
#include "bench/latency/overlap.hpp"
#include "bench/latency/pair_bench.hpp"
#include "bench/latency/progress.hpp"
#include "bench/model/model.hpp"
#include "bench/rma/operations.hpp"
#include "bench/rma/rma.hpp"
#include "bench/rma/windows.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

using namespace bench;

int refuse(const std::string &why) {
  say({EXIT_FAILURE, "", "halocline-bench: " + why + "\n"});
  return EXIT_FAILURE;
}

/// The exit status of a command whose results were printed, and one of its files could not be written.
constexpr int kUnwritten = 4;

/// What rank 0 could not write, said at the end; empty: nothing. Returns the exit status. Collective.
int end_with(const std::string &unwritten) {
  const std::string why = broadcast(unwritten, 0, MPI_COMM_WORLD);
  if (why.empty()) return EXIT_SUCCESS;
  say({kUnwritten, "", "halocline-bench: " + why + "\n"});
  return kUnwritten;
}

int fail(const std::string &wrong) {
  say({EXIT_FAILURE, "", "WRONG HALO: " + wrong + "\n"});
  return EXIT_FAILURE;
}

void pretend_nodes(int nodes) {
  if (nodes > 0) setenv("HALOCLINE_FAKE_NODES", std::to_string(nodes).c_str(), 1);
}

/// The program's arguments, for reports, and what takes part beside the library.
struct Arguments {
  int argc;
  char **argv;
  const Guests &guests;
};

int run_halo(MPI_Comm comm, const HaloOptions &options, Arguments arguments, Publisher &publisher) {
  const HaloOutcome outcome = measure_halo(comm, options, arguments.argc, arguments.argv, arguments.guests.halo);
  if (outcome.wrong) return fail(*outcome.wrong);
  publisher.publish(*outcome.report);
  return EXIT_SUCCESS;
}

/// A command between two ranks: measures and publishes.
template <class Run>
int run_between_two(MPI_Comm comm, Run run, Publisher &publisher) {
  if (size_of(comm) != 2) return refuse("this command is for 2 ranks");
  try {
    publisher.publish(run());
    return EXIT_SUCCESS;
  } catch (const halocline::Error &error) {
    if (error.status() != HLC_ERR_UNSUPPORTED) throw;
    return refuse(std::string("cannot be measured here: ") + error.what());
  }
}

int run_pair_command(MPI_Comm comm, const CommandLine &asked, Arguments arguments, Publisher &publisher) {
  const PairOptions &options = asked.pair;
  const auto &[argc, argv, guests] = arguments;
  if (asked.command == Command::overlap)
    return run_between_two(comm, [&, argc = argc, argv = argv] { return run_overlap(comm, options, argc, argv); }, publisher);
  if (asked.command == Command::progress)
    return run_between_two(comm, [&, argc = argc, argv = argv] { return run_progress(comm, options, argc, argv); }, publisher);
  const bool streams = asked.command == Command::bandwidth;
  return run_between_two(comm, [&, argc = argc, argv = argv] { return run_pair(comm, options, streams, argc, argv); }, publisher);
}

/// A command on the ranks of a communicator.
int run_on(MPI_Comm comm, const CommandLine &asked, Arguments arguments, Publisher &publisher) {
  const auto &[argc, argv, guests] = arguments;
  switch (asked.command) {
    case Command::halo: return run_halo(comm, asked.halo, arguments, publisher);
    case Command::allreduce: publisher.publish(run_allreduce(comm, asked.pair, argc, argv)); break;
    case Command::rma: publisher.publish(run_rma(comm, asked.pair, argc, argv)); break;
    case Command::windows: publisher.publish(run_windows(comm, asked.pair, argc, argv)); break;
    case Command::operations: publisher.publish(run_operations(comm, asked.pair, argc, argv)); break;
    case Command::mesh: publisher.publish(run_mesh(comm, asked.mesh, argc, argv, guests.mesh)); break;
    default: return run_pair_command(comm, asked, arguments, publisher);
  }
  return EXIT_SUCCESS;
}

/// On all ranks, of which each measurement takes some.
int run_models(const ModelOptions &options, Arguments arguments, Publisher &publisher) {
  const auto report = run_model(MPI_COMM_WORLD, options, arguments.argc, arguments.argv);
  if (report) publisher.publish(*report);
  return end_with(report ? report->no_card : "");
}

int run_autos(const AutoOptions &options, Arguments arguments, Publisher &publisher) {
  if (const auto report = run_auto(MPI_COMM_WORLD, options, arguments.argc, arguments.argv)) publisher.publish(*report);
  return EXIT_SUCCESS;
}

/// Once for each number of ranks.
int run_for_ranks(const CommandLine &asked, const std::vector<int> &counts, Arguments arguments, Publisher &publisher) {
  if (counts.empty()) return run_on(MPI_COMM_WORLD, asked, arguments, publisher);
  int status = EXIT_SUCCESS;
  for (const int ranks : counts) {
    if (ranks > size_of(MPI_COMM_WORLD)) return refuse("--ranks " + std::to_string(ranks) + ": more than were started");
    if (status == EXIT_SUCCESS)
      status = with_team(MPI_COMM_WORLD, ranks, [&](MPI_Comm team) { return run_on(team, asked, arguments, publisher); });
  }
  return status;
}

const CommonOptions &common_of(const CommandLine &asked) {
  if (asked.command == Command::halo) return asked.halo;
  if (asked.command == Command::mesh) return asked.mesh;
  if (asked.command == Command::model) return asked.model;
  if (asked.command == Command::automatic) return asked.automatic;
  return asked.pair;
}

int run(const CommandLine &asked, Arguments arguments) {
  if (asked.command == Command::none) return say(asked.answer), asked.answer.status;
  const CommonOptions &options = common_of(asked);
  pretend_nodes(options.fake_nodes);
  Publisher publisher(options);
  int status = EXIT_SUCCESS;
  if (asked.command == Command::model)
    status = run_models(asked.model, arguments, publisher);
  else if (asked.command == Command::automatic)
    status = run_autos(asked.automatic, arguments, publisher);
  else
    status = run_for_ranks(asked, options.ranks, arguments, publisher);
  const int unwritten = end_with(publisher.write());
  return status == EXIT_SUCCESS ? unwritten : status;
}

}  // namespace

int bench::run_bench(int argc, char **argv, const Guests &guests) {
  const halocline::Mpi mpi;
  try {
    return run(parse(argc, argv), {argc, argv, guests});
  } catch (const bench::Refusal &error) {
    return refuse(error.what());
  } catch (const std::exception &error) {
    std::fflush(stdout);  // what was measured before
    std::fprintf(stderr, "halocline-bench, rank %d: %s\n", rank_of(MPI_COMM_WORLD), error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    std::_Exit(EXIT_FAILURE);  // in some MPIs the call returns
  }
  return EXIT_FAILURE;
}
