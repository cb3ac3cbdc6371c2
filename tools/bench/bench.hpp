// The frame of a program of benchmarks: commands with options, run on all ranks or on some. halocline-bench and the library's own
// benchmarks (tests/bench/library) are lists of commands.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/publisher.hpp"
#include "bench/halo/halo.hpp"

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench {

/// What a command runs with: its ranks, the program's arguments for reports, and what takes its reports.
struct Launch {
  MPI_Comm comm;
  int argc;
  char **argv;
  Publisher &publisher;
};

struct Command {
  std::function<CLI::App *(CLI::App &)> add;  ///< adds it to a command line, which fills the options
  std::shared_ptr<CommonOptions> options;
  std::function<int(const Launch &)> run;  ///< on the ranks of the launch; returns the exit status
  bool on_all_ranks = false;               ///< once, on all ranks, of which it takes some itself; else once for each of --ranks
};
using Commands = std::vector<Command>;

/// A command from a function that adds options, and one that runs with them.
template <class Options>
Command command_of(CLI::App *(*add)(CLI::App &, Options &), std::function<int(const Launch &, const Options &)> run,
                   bool on_all_ranks = false) {
  const auto options = std::make_shared<Options>();
  return {[=](CLI::App &app) { return add(app, *options); }, options, [=](const Launch &launch) { return run(launch, *options); },
          on_all_ranks};
}

/// A command from a function that returns a report, which is published.
template <class Options, class Report>
Command reporting(CLI::App *(*add)(CLI::App &, Options &), Report (*measure)(MPI_Comm, const Options &, int, char **)) {
  return command_of<Options>(add, [measure](const Launch &launch, const Options &options) {
    launch.publisher.publish(measure(launch.comm, options, launch.argc, launch.argv));
    return EXIT_SUCCESS;
  });
}

/// The commands of halocline-bench. Guests take part in `halo`.
Commands halocline_commands(const AddContenders &guests = {});

/// Rank 0 says why nothing can be measured. Returns the exit status.
int refuse(const std::string &why);
/// The same of what could not be written after the measurement; empty: nothing. Collective.
int end_with(const std::string &unwritten);

/// Calls MPI_Init and MPI_Finalize, and runs what the command line asks for. Returns the exit status.
int run_bench(int argc, char **argv, const std::string &program, const Commands &commands);

}  // namespace bench
