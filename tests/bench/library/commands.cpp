// The benchmarks that only developers of the library need: their options, and what each runs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "library/commands.hpp"

#include "bench/frame/command_line.hpp"
#include "library/allreduce.hpp"
#include "library/auto.hpp"
#include "library/rma.hpp"
#include "library/windows.hpp"

#include <common/parse.hpp>

namespace bench {

namespace {

const char *const kAllreduce =
    "Times sums of arrays of doubles over all ranks: hlc_allreduce_run, with arrays of a rank's own and with arrays from hlc_field_alloc, "
    "against the host MPI's MPI_Allreduce, and against a limit: every rank copies its array at the same time, which is the least that must "
    "be read and written; between two ranks on two nodes raw TCP, all bytes both ways at the same time. Any number of ranks. Each rank "
    "rewrites its array before each call, which is not timed. One sample of each per round in shuffled order; each result is compared "
    "with a serial sum, before and after.";

CLI::App *add_allreduce_command(CLI::App &app, AllreduceOptions &options) {
  for (std::int64_t bytes = 8; bytes <= options.largest; bytes *= bytes < 1 << 18 ? 8 : 4)
    options.sizes.push_back(std::min(bytes, options.largest));
  options.repetitions = 15;
  CLI::App *command = app.add_subcommand("allreduce", kAllreduce);
  add_sizes(*command, options, "Bytes of an array, rounded up to 8", {1, std::int64_t{1} << 33});
  command->add_option("--largest", options.largest, "Leave out longer arrays")->check(common::positive_number())->capture_default_str();
  add_common(*command, options);
  add_sampling(*command, options);
  add_ranks(*command, options);
  command->footer(
      "An MPI chooses among algorithms; tests/bench/library/allreduce.py runs this command once for each that can be asked for, and "
      "takes the "
      "best.\n"
      "spread: 10th to 90th percentile of the samples.\n"
      "Example: mpiexec -n 2 halocline_library_bench allreduce --largest 16777216 --json allreduce.json");
  return command;
}

const char *const kRma =
    "Times calls of MPI-3 RMA from rank 0 to the last rank, and the synchronisation of all ranks, by their MPI_ and their PMPI_ names in "
    "turn in one process. With libhalocline_mpi loaded first (LD_PRELOAD) the former are the library's and the latter the host MPI's. One "
    "sample of each per round in shuffled order; what every sample leaves is verified byte by byte. Part interposition: what a call takes "
    "to find its window, and what it takes to find that the host has it. Part elements: accumulates by type and operation, get_accumulate, "
    "blocks, "
    "and many calls before one flush.";

const char *const kWindows =
    "Times windows of each kind, made and freed, by their MPI_ and their PMPI_ names in turn in one process, and reads how much memory a "
    "rank has for each: many are open at the same time, and the kernel says how much more the process has. With libhalocline_mpi loaded "
    "first (LD_PRELOAD) the former are the library's and the latter the host MPI's. Any number of ranks.";

CLI::App *add_rma_command(CLI::App &app, RmaOptions &options) {
  options.sizes = {8, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
  CLI::App *command = app.add_subcommand("rma", kRma);
  add_sizes(*command, options, "Bytes of a put or get, and of an accumulate of doubles", {1, kMaxRmaBytes});
  add_words(*command, "--parts", options.parts, rma_parts(), "Groups of operations, comma-separated");
  add_common(*command, options);
  add_sampling(*command, options);
  add_ranks(*command, options);
  command->footer(
      "./go bench rma runs this under every MPI at hand, in turn.\n"
      "Example: mpiexec -n 2 -genv LD_PRELOAD libhalocline_mpi.so halocline_library_bench rma --json rma.json");
  return command;
}

CLI::App *add_windows_command(CLI::App &app, WindowOptions &options) {
  CLI::App *command = app.add_subcommand("windows", kWindows);
  add_words(*command, "--kinds", options.kinds, window_kinds(), "Kinds of windows, comma-separated");
  command->add_option("--bytes", options.window_bytes, "Bytes of data of each rank")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30))
      ->capture_default_str();
  command->add_option("--windows", options.windows, "The most windows open at the same time")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_seconds(*command, options.seconds, "About this long for each kind by each set of names, at least one window");
  add_common(*command, options);
  add_seed(*command, options);
  add_ranks(*command, options);
  command->footer("Example: mpiexec -n 16 -genv LD_PRELOAD libhalocline_mpi.so halocline_library_bench windows --json windows.json");
  return command;
}

const char *const kAuto =
    "Races mode auto against every single mode over more than 40 configurations: sizes, depths, fields, element types, stencils, numbers "
    "of "
    "ranks up to those that were started, and pretended nodes. Prints which mode it chose, how it compares with the best one, and what its "
    "trial and the creation of its halos cost. Every halo is verified. Under ten minutes.";

CLI::App *add_auto_command(CLI::App &app, AutoOptions &o) {
  CLI::App *command = app.add_subcommand("auto", kAuto);
  add_seconds(*command, o.seconds, "Begin no configuration after this many seconds");
  command->add_option("--most", o.most, "At most this many configurations, of all kinds")
      ->check(common::positive_number())
      ->capture_default_str();
  add_common(*command, o);
  add_sampling(*command, o);
  command->footer("Example: mpiexec -n 8 halocline_library_bench auto --json auto.json");
  return command;
}

const char *const kMesh =
    "Swaps the nodes of a mesh of tetrahedra that recursive coordinate bisection has split over the ranks, from owners to ghosts and in "
    "reverse with addition, by the library's index halos. Each rank writes the nodes that others need again before each call, which is not "
    "timed. One sample of each per round in shuffled order; every ghost and every sum is verified, before and after.";

CLI::App *add_mesh_command(CLI::App &app, MeshOptions &o) {
  CLI::App *command = app.add_subcommand("mesh", kMesh);
  command->add_option("--sides", o.sides, "Nodes along each side of the mesh, comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(4, 400))
      ->capture_default_str();
  command->add_option("--components", o.components, "Doubles per node, comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--modes", o.modes, "Modes of the library, comma-separated")->delimiter(',')->capture_default_str();
  add_common(*command, o);
  add_sampling(*command, o);
  add_ranks(*command, o);
  command->footer(
      "spread: 10th to 90th percentile of the samples.\nExample: mpiexec -n 2 halocline_library_bench mesh --sides 24,48 --components 1,5");
  return command;
}

int run_auto_command(const Launch &launch, const AutoOptions &options) {
  if (const auto report = run_auto(launch.comm, options, launch.argc, launch.argv)) launch.publisher.publish(*report);
  return EXIT_SUCCESS;
}

}  // namespace

Commands library_commands(const AddContenders &halo_guests, const MeshGuests &mesh_guests) {
  const auto run_mesh_command = [mesh_guests](const Launch &launch, const MeshOptions &options) {
    launch.publisher.publish(run_mesh(launch.comm, options, launch.argc, launch.argv, mesh_guests));
    return EXIT_SUCCESS;
  };
  Commands commands = halocline_commands(halo_guests);
  for (const Command &own :
       {command_of<AutoOptions>(add_auto_command, run_auto_command, true), command_of<MeshOptions>(add_mesh_command, run_mesh_command),
        reporting(add_allreduce_command, run_allreduce), reporting(add_rma_command, run_rma), reporting(add_windows_command, run_windows)})
    commands.push_back(own);
  return commands;
}

}  // namespace bench
