// Every rank reads the command line, rank 0 prints.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench.hpp"

#include "bench/frame/command_line.hpp"
#include "bench/frame/refusal.hpp"
#include "bench/frame/team.hpp"

#include <common/printed.hpp>
#include <common/program.hpp>

#include <cstdio>
#include <cstdlib>

namespace bench {

namespace {

std::string program_name;

/// The exit status of a command whose results were printed, and one of its files could not be written.
constexpr int kUnwritten = 4;

/// Once for each number of ranks.
int run_for_ranks(const Command &command, const Launch &launch) {
  if (command.on_all_ranks || command.options->ranks.empty()) return command.run(launch);
  int status = EXIT_SUCCESS;
  for (const int ranks : command.options->ranks) {
    if (ranks > size_of(launch.comm)) return refuse("--ranks " + std::to_string(ranks) + ": more than were started");
    if (status == EXIT_SUCCESS)
      status =
          with_team(launch.comm, ranks, [&](MPI_Comm team) { return command.run({team, launch.argc, launch.argv, launch.publisher}); });
  }
  return status;
}

int run(int argc, char **argv, const Commands &commands) {
  const auto [command, answer] = parse(argc, argv, program_name, commands);
  if (!command) return say(answer), answer.status;
  const CommonOptions &options = *command->options;
  if (options.fake_nodes > 0) setenv("HALOCLINE_FAKE_NODES", std::to_string(options.fake_nodes).c_str(), 1);
  Publisher publisher(options);
  const int status = run_for_ranks(*command, {MPI_COMM_WORLD, argc, argv, publisher});
  const int unwritten = end_with(publisher.write());
  return status == EXIT_SUCCESS ? unwritten : status;
}

}  // namespace

int refuse(const std::string &why) {
  say({EXIT_FAILURE, "", program_name + ": " + why + "\n"});
  return EXIT_FAILURE;
}

int end_with(const std::string &unwritten) {
  const std::string why = broadcast(unwritten, 0, MPI_COMM_WORLD);
  if (why.empty()) return EXIT_SUCCESS;
  say({kUnwritten, "", program_name + ": " + why + "\n"});
  return kUnwritten;
}

int run_bench(int argc, char **argv, const std::string &program, const Commands &commands) {
  program_name = program;
  const halocline::Mpi mpi;
  try {
    return common::end_of_output(program.c_str(), run(argc, argv, commands), kUnwritten);
  } catch (const Refusal &error) {
    return refuse(error.what());
  } catch (const std::exception &error) {
    std::fflush(stdout);  // what was measured before
    std::fprintf(stderr, "%s, rank %d: %s\n", program.c_str(), rank_of(MPI_COMM_WORLD), error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    std::_Exit(EXIT_FAILURE);  // in some MPIs the call returns
  }
  return EXIT_FAILURE;
}

}  // namespace bench
