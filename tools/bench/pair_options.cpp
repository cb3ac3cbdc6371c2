// SPDX-License-Identifier: BSD-3-Clause
#include "pair_options.hpp"

#include "pair.hpp"

#include <CLI/CLI.hpp>

namespace bench {

namespace {

const char *const kNotify =
    "Times a notified put (put_notify to notify_wait) as a ping-pong between 2 ranks, against raw TCP over the interface of the library's "
    "network and against MPI_Send and MPI_Recv: half a round trip, one sample of each per round in shuffled order. What arrives is "
    "verified.";

const char *const kBandwidth =
    "Times streams of messages from rank 0 to rank 1, against raw TCP and the host MPI: puts and one flush, sends and an answer, MPI_Isend "
    "and "
    "MPI_Irecv 64 at a time. Half a round trip is measured as by `notify`. One sample of each per round in shuffled order. What arrives is "
    "verified.";

const char *const kFooter =
    "Raw TCP (TCP_NODELAY) is measured with a rank that waits inside the kernel and with one that asks again and again; the faster counts. "
    "On one\n"
    "node it goes over loopback, and the limit is a copy into shared memory and a flag.\n"
    "spread: 10th to 90th percentile of the samples.\n"
    "Example: mpiexec -n 2 halocline-bench ";

void add_common(CLI::App &command, PairOptions &o, const char *example) {
  command.add_option("--sizes", o.sizes, "Bytes of a message, comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, Slots::window))
      ->capture_default_str();
  command.add_option("--repetitions", o.repetitions, "Rounds, that is samples of each")->check(CLI::PositiveNumber)->capture_default_str();
  command.add_option("--sample-ms", o.sample_ms, "A sample takes about so many milliseconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--fake-nodes", o.fake_nodes, "Treat the ranks as so many nodes (0: as they are)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--seed", o.seed, "Seed of the order in a round")->capture_default_str();
  command.add_option("--json", o.json, "Write environment, numbers and all samples to this file");
  command.footer(std::string(kFooter) + example);
}

}  // namespace

CLI::App *add_notify_command(CLI::App &app, PairOptions &options) {
  options.sizes = {8, 64, 512, 4096, 8192};
  CLI::App *command = app.add_subcommand("notify", kNotify);
  add_common(*command, options, "notify --sizes 8,4096 --json notify.json");
  return command;
}

CLI::App *add_bandwidth_command(CLI::App &app, PairOptions &options) {
  options.sizes = {8, 64, 512, 4096, 32768, 262144, 1048576, 4194304};
  CLI::App *command = app.add_subcommand("bandwidth", kBandwidth);
  add_common(*command, options, "bandwidth --sizes 8,4194304 --json bandwidth.json");
  return command;
}

}  // namespace bench
