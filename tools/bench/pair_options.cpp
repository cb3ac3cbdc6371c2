// SPDX-License-Identifier: BSD-3-Clause
#include "pair_options.hpp"

#include "pair.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace bench {

namespace {

const char *const kNotify =
    "Times a notified put (put_notify to notify_wait) as a ping-pong between 2 ranks, against raw TCP over the interface of the library's "
    "network and against MPI_Send and MPI_Recv, and the same through the GASPI face (gaspi_write_notify to gaspi_notify_waitsome): half a "
    "round trip, one sample of each per round in shuffled order. What arrives is verified.";

const char *const kBandwidth =
    "Times streams of messages from rank 0 to rank 1, against raw TCP and the host MPI: puts and one flush, sends and an answer, MPI_Isend "
    "and "
    "MPI_Irecv 64 at a time. Half a round trip is measured as by `notify`. One sample of each per round in shuffled order. What arrives is "
    "verified.";

const char *const kOverlap =
    "Times a halo swap between 2 ranks, and how much of it hides behind a computation between start and finish that takes slightly longer: "
    "with "
    "progress by whoever calls the library and with progress by a thread (HALOCLINE_PROGRESS), in turn in one run. The halo is verified.";

const char *const kProgress =
    "Times a put and a flush to a rank that computes meanwhile and does not call the library: with progress by whoever calls, by a thread, "
    "and by a helper process of each node (HALOCLINE_PROGRESS), in turn in one run. That the bytes are there after the flush is verified.";

const char *const kAllreduce =
    "Times sums of arrays of doubles over all ranks: hlc_allreduce_run, with arrays of a rank's own and with arrays from hlc_field_alloc, "
    "against the host MPI's MPI_Allreduce, and against a limit: every rank copies its array at the same time, which is the least that must "
    "be read and written; between two ranks on two nodes raw TCP, all bytes both ways at the same time. Any number of ranks. Each rank "
    "writes its array anew before each call, which is not timed. One sample of each per round in shuffled order; each result is compared "
    "with a serial sum, before and after.";

const char *const kFooter =
    "Raw TCP (TCP_NODELAY) is measured with a rank that waits inside the kernel and with one that asks again and again; the faster counts. "
    "On one\n"
    "node it goes over loopback, and the limit is a copy into shared memory and a flag.\n"
    "spread: 10th to 90th percentile of the samples.\n"
    "Example: mpiexec -n 2 halocline-bench ";

void add_common(CLI::App &command, PairOptions &o, std::int64_t least_bytes) {
  command.add_option("--sizes", o.sizes, "Bytes of a message, comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(least_bytes, Slots::window))
      ->capture_default_str();
  command.add_option("--repetitions", o.repetitions, "Rounds, that is samples of each")->check(CLI::PositiveNumber)->capture_default_str();
  command.add_option("--fake-nodes", o.fake_nodes, "Treat the ranks as so many nodes (0: as they are)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--json", o.json, "Write environment, numbers and all samples to this file");
}

void add_duel(CLI::App &command, PairOptions &o, const char *example) {
  add_common(command, o, 1);
  command.add_option("--sample-ms", o.sample_ms, "A sample takes about so many milliseconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--seed", o.seed, "Seed of the order in a round")->capture_default_str();
  command.footer(std::string(kFooter) + example);
}

}  // namespace

CLI::App *add_notify_command(CLI::App &app, PairOptions &options) {
  options.sizes = {8, 64, 512, 4096, 8192};
  CLI::App *command = app.add_subcommand("notify", kNotify);
  add_duel(*command, options, "notify --sizes 8,4096 --json notify.json");
  return command;
}

CLI::App *add_bandwidth_command(CLI::App &app, PairOptions &options) {
  options.sizes = {8, 64, 512, 4096, 32768, 262144, 1048576, 4194304};
  CLI::App *command = app.add_subcommand("bandwidth", kBandwidth);
  add_duel(*command, options, "bandwidth --sizes 8,4194304 --json bandwidth.json");
  return command;
}

CLI::App *add_overlap_command(CLI::App &app, PairOptions &options) {
  options.sizes = {1024, 16384, 131072, 1048576, 8388608};
  CLI::App *command = app.add_subcommand("overlap", kOverlap);
  add_common(*command, options, 8);
  command->footer("Example: mpiexec -n 2 halocline-bench overlap --fake-nodes 2 --sizes 131072,8388608 --json overlap.json");
  return command;
}

CLI::App *add_progress_command(CLI::App &app, PairOptions &options) {
  options.sizes = {8, 1048576};
  options.repetitions = 3;
  CLI::App *command = app.add_subcommand("progress", kProgress);
  add_common(*command, options, 1);
  command->add_option("--compute-ms", options.compute_ms, "How long the target computes")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->footer("Example: mpiexec -n 2 halocline-bench progress --fake-nodes 2 --json progress.json");
  return command;
}

CLI::App *add_allreduce_command(CLI::App &app, PairOptions &options) {
  for (std::int64_t bytes = 8; bytes <= options.largest; bytes *= bytes < 1 << 18 ? 8 : 4)
    options.sizes.push_back(std::min(bytes, options.largest));
  options.repetitions = 15;
  CLI::App *command = app.add_subcommand("allreduce", kAllreduce);
  command->add_option("--sizes", options.sizes, "Bytes of an array, comma-separated, rounded up to 8")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 33))
      ->capture_default_str();
  command->add_option("--largest", options.largest, "Leave out longer arrays")->check(CLI::PositiveNumber)->capture_default_str();
  command->add_option("--repetitions", options.repetitions, "Rounds, that is samples of each")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--sample-ms", options.sample_ms, "A sample takes about so many milliseconds, one call at least")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--fake-nodes", options.fake_nodes, "Treat the ranks as so many nodes (0: as they are)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--seed", options.seed, "Seed of the order in a round")->capture_default_str();
  command->add_option("--json", options.json, "Write environment, numbers and all samples to this file");
  command->footer(
      "An MPI chooses among algorithms; tools/bench/allreduce.py runs this command once for each that can be asked for, and takes the "
      "best.\n"
      "spread: 10th to 90th percentile of the samples.\n"
      "Example: mpiexec -n 2 halocline-bench allreduce --largest 16777216 --json allreduce.json");
  return command;
}

}  // namespace bench
