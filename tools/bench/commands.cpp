// The commands of halocline-bench: their options, and what each runs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/armci/armci.hpp"
#include "bench/computing/computing.hpp"
#include "bench/device/device.hpp"
#include "bench/frame/choice.hpp"
#include "bench/frame/command_line.hpp"
#include "bench/halo/pattern.hpp"
#include "bench/latency/overlap.hpp"
#include "bench/latency/pair_bench.hpp"
#include "bench/latency/progress.hpp"
#include "bench/model/model.hpp"
#include "bench/rma/operations.hpp"
#include "bench/rma/tasks.hpp"
#include "bench/shmem/shmem.hpp"

namespace bench {

namespace {

const char *const kDescription =
    "Times one halo swap of a periodic grid in every mode, side by side in one run. All modes, two hand-written swaps (hand_p2p; "
    "hand_types, "
    "by datatypes and one message per partner) and the "
    "physical limit work on the same fields and take turns, one sample each per round in shuffled order, so that noise hits all alike. "
    "Before and after the measurement every halo cell of every mode is verified against the rank, field, cell and step that must have "
    "written it; a wrong cell is named, and the exit status is 1.";

const char *const kColumns =
    "Columns:\n"
    "  median, p10, p90  microseconds per swap on the slowest rank\n"
    "  vs p2p            how many times faster than mode p2p (above 1: faster)\n"
    "  GB/s              halo bytes filled per rank and second\n"
    "  vs limit          median over the physical limit: a plain strided copy of the same cells, from memory that the neighbour last "
    "wrote\n"
    "                    into my own halo, plus one hand-over of a cache line between two ranks, both measured in this run\n"
    "  route             how the neighbours of rank 0 are reached (direct: read in place, notify: notified write, mpi: MPI, self: copied)\n"
    "Example: mpiexec -n 2 halocline-bench halo --local 8,8,64 --fields 1 --modes p2p,notify,direct --json result.json";

// ---- halo

void add_problem(CLI::App &halo, HaloOptions &o) {
  halo.add_option("--local", o.local, "Cells per rank along x,y,z or x,y; the last one is contiguous in memory")
      ->delimiter(',')
      ->expected(2, 3)
      ->check(common::positive_number())
      ->capture_default_str();
  halo.add_option("--depth", o.depth, "Halo cells on each side")->check(common::positive_number())->capture_default_str();
  halo.add_option("--fields", o.fields, "Fields per swap")->check(CLI::Range(1, static_cast<int>(kMaxFields)))->capture_default_str();
  halo.add_option("--type", o.type, "Element type")->check(CLI::IsMember(names_of_types()))->capture_default_str();
  add_choice(halo, "--stencil", o.stencil, {{"box", halocline::Stencil::box}, {"star", halocline::Stencil::star}},
             "box: edges and corners too; star: faces only");
  add_choice(halo, "--split", o.split_z, {{"xy", false}, {"xyz", true}}, "Dimensions that are split over the ranks and have a halo");
  halo.add_flag("--reorder", o.reorder, "Give the ranks the places in which as many neighbours as possible share a node");
}

/// Two dimensions are three, of which the third has one cell and no halo.
void complete_shape(HaloOptions &o) {
  if (o.local.size() == 3) return;
  if (o.split_z) throw CLI::ValidationError("--split", "xyz needs three dimensions, and --local has two");
  o.local.push_back(1);
}

void add_measurement(CLI::App &halo, HaloOptions &o) {
  halo.add_option("--modes", o.modes,
                  "Modes, comma-separated; all: each but auto, which is one of them; p2p, hand_p2p, hand_types and the limit always run")
      ->delimiter(',')
      ->check(CLI::IsMember(names_of_modes()))
      ->default_str("all");
  halo.add_flag("--epochs", o.epochs, "Also fence and pscw with late epochs (rows fence_late, pscw_late)");
  halo.add_flag("--drives", o.drives, "Also the get-driven fence (row fence_get)");
  halo.add_option("--warmups", o.warmups, "Verified warm-up swaps per mode")->check(common::positive_number())->capture_default_str();
  add_choice(
      halo, "--edge", o.edge, {{"stamp", Edge::stamp}, {"rewrite", Edge::rewrite}},
      "stamp: one cell of every edge column changes before each sample; rewrite: the whole edge before each swap, outside the clock");
  halo.add_option("--skew", o.skew_us, "Every rank is late by a random time up to this many microseconds before each swap")
      ->check(common::number_from_zero())
      ->capture_default_str();
  halo.add_option(
      "--doctor", o.doctor,
      "Report of halocline-doctor; modes that it found wrong are left out (default: the report that it kept for this MPI and host; "
      "none: no report)");
  add_common(halo, o);
  add_sampling(halo, o);
  add_ranks(halo, o);
}

CLI::App *add_halo_command(CLI::App &app, HaloOptions &options) {
  CLI::App *halo = app.add_subcommand("halo", kDescription);
  halo->callback([&] { complete_shape(options); });
  add_problem(*halo, options);
  add_measurement(*halo, options);
  halo->footer(kColumns);
  return halo;
}

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
    "with progress by the calling thread and with progress by a thread (HALOCLINE_PROGRESS), in turn in one run. The halo is verified.";

const char *const kProgress =
    "Times a put and a flush to a rank that computes meanwhile and does not call the library: with progress by the calling thread, by a "
    "thread, and by a helper process of each node (HALOCLINE_PROGRESS), in turn in one run. That the bytes are there after the flush is "
    "verified.";

const char *const kFooter =
    "Raw TCP (TCP_NODELAY) is measured with a rank that waits inside the kernel and with one that polls; the faster counts. On one\nnode "
    "it goes over loopback, and the limit is a copy into shared memory and a flag.\nspread: 10th to 90th percentile of the "
    "samples.\nExample: mpiexec -n 2 halocline-bench ";

void add_message_sizes(CLI::App &command, CommonOptions &o, std::int64_t least_bytes) {
  add_sizes(command, o, "Bytes of a message", {least_bytes, Slots::window});
  add_common(command, o);
}

void add_round_trips(CLI::App &command, CommonOptions &o, const char *example) {
  add_message_sizes(command, o, 1);
  add_sampling(command, o);
  command.footer(std::string(kFooter) + example);
}

CLI::App *add_notify_command(CLI::App &app, CommonOptions &options) {
  options.sizes = {8, 64, 512, 4096, 8192};
  CLI::App *command = app.add_subcommand("notify", kNotify);
  add_round_trips(*command, options, "notify --sizes 8,4096 --json notify.json");
  return command;
}

CLI::App *add_bandwidth_command(CLI::App &app, CommonOptions &options) {
  options.sizes = {8, 64, 512, 4096, 32768, 262144, 1048576, 4194304};
  CLI::App *command = app.add_subcommand("bandwidth", kBandwidth);
  add_round_trips(*command, options, "bandwidth --sizes 8,4194304 --json bandwidth.json");
  return command;
}

CLI::App *add_overlap_command(CLI::App &app, CommonOptions &options) {
  options.sizes = {1024, 16384, 131072, 1048576, 8388608};
  CLI::App *command = app.add_subcommand("overlap", kOverlap);
  add_message_sizes(*command, options, 8);
  add_seed(*command, options);
  command->footer("Example: mpiexec -n 2 halocline-bench overlap --fake-nodes 2 --sizes 131072,8388608 --json overlap.json");
  return command;
}

CLI::App *add_progress_command(CLI::App &app, ProgressOptions &options) {
  options.sizes = {8, 1048576};
  options.repetitions = 3;
  CLI::App *command = app.add_subcommand("progress", kProgress);
  add_message_sizes(*command, options, 1);
  add_seed(*command, options);
  command->add_option("--compute-ms", options.compute_ms, "How long the target computes")
      ->check(common::positive_number())
      ->capture_default_str();
  command->footer("Example: mpiexec -n 2 halocline-bench progress --fake-nodes 2 --json progress.json");
  return command;
}

const char *const kOperations =
    "Times every one-sided operation of the engine (segments) and of the host MPI side by side, that of libhalocline_mpi as well where it "
    "is loaded first (LD_PRELOAD), and what the machine needs for it at least. Transfers, atomics, locks and the rate go from rank 0 to "
    "the last rank; epochs, barrier, allreduce, contention and creation take all ranks. One sample of each variant per round in shuffled "
    "order; the result of a sample is verified. The engine has no locks: it has atomics and notifications instead. Its counterpart of PSCW "
    "is a notification that the target is ready, and a put with a notification; that of a fence is a flush and a barrier.";

CLI::App *add_operations_command(CLI::App &app, OperationOptions &options) {
  options.sizes = {8, 512, 4096, 65536, 1048576};
  CLI::App *command = app.add_subcommand("operations", kOperations);
  add_sizes(*command, options, "Bytes of an operation", {8, kOperationBytes});
  add_words(*command, "--parts", options.parts, operation_parts(), "Groups of operations, comma-separated");
  add_common(*command, options);
  add_sampling(*command, options);
  add_ranks(*command, options);
  command->footer(
      "limit: a copy, or the atomic instructions that an operation needs at least, on memory of the same node; where all ranks take part, "
      "the "
      "hand-over\nof a cache line, as often as needed.\n"
      "Example: mpiexec -n 2 halocline-bench operations --parts transfers,fetching --format osu");
  return command;
}

const char *const kArmci =
    "Times operations of libhalocline_armci from rank 0 to the last rank, beside another ARMCI (--against) and what the machine needs for "
    "them at least, one sample of each per round in shuffled order; data are verified. A sample ends with a fence.";

CLI::App *add_armci_command(CLI::App &app, ArmciOptions &options) {
  options.sizes = {8, 512, 4096, 65536, 1048576};
  CLI::App *command = app.add_subcommand("armci", kArmci);
  add_sizes(*command, options, "Bytes of a contiguous operation, whole doubles", {8, 4194304});
  add_words(*command, "--parts", options.parts, armci_parts(), "Groups of operations, comma-separated");
  command->add_option("--against", options.against, "A shared library with another ARMCI, built for the same MPI");
  add_common(*command, options);
  add_sampling(*command, options);
  command->footer(
      "limit: a copy, an addition or an atomic instruction, on memory of the same node.\n"
      "Example: mpiexec -n 2 halocline-bench armci --parts strided,rmw --against libarmci_reference.so");
  return command;
}

const char *const kShmemCommand =
    "Times operations of libhalocline_shmem from PE 0 to the last PE: as a program is compiled, with inline forms, and by calls of the "
    "library, beside what the machine needs at least; a put with a signal beside hlc_put_notify, half a round trip; barrier, broadcast and "
    "sum beside the host MPI. One sample of each per round in shuffled order; values are verified. Says which aims are reached.";

CLI::App *add_shmem_command(CLI::App &app, ShmemOptions &options) {
  options.sizes = {8, 512, 4096, 65536};
  CLI::App *command = app.add_subcommand("shmem", kShmemCommand);
  add_sizes(*command, options, "Bytes of an operation, whole doubles", {8, 4194304});
  add_words(*command, "--parts", options.parts, shmem_parts(), "Groups of operations, comma-separated");
  add_common(*command, options);
  add_sampling(*command, options);
  command->footer(
      "limit: a copy or a store, and the fence that quiet needs, or an atomic instruction, on memory of the same node.\n"
      "Example: mpiexec -n 2 halocline-bench shmem --parts put,atomics");
  return command;
}

const char *const kComputing =
    "Times a single put, get, accumulate or fetch-and-add that rank 0 makes at the last rank, and completes, while that computes and calls "
    "nothing: by ARMCI, by OpenSHMEM, by libhalocline_mpi where it is loaded (LD_PRELOAD), and by the host MPI, in shuffled order; values "
    "are "
    "verified. What that costs depends on HALOCLINE_PROGRESS and, with MPICH, on MPIR_CVAR_ASYNC_PROGRESS.";

CLI::App *add_computing_command(CLI::App &app, ComputingOptions &options) {
  CLI::App *command = app.add_subcommand("computing", kComputing);
  command->add_option("--compute-ms", options.compute_ms, "How long the target computes")
      ->check(common::positive_number())
      ->capture_default_str();
  add_common(*command, options);
  add_seed(*command, options);
  command->footer(
      "tests/bench/library/computing.py runs it with each kind of progress in turn.\n"
      "Example: HALOCLINE_PROGRESS=helper mpiexec -n 2 halocline-bench computing --fake-nodes 2");
  return command;
}

const char *const kDevice =
    "Times a halo swap of fields in the memory of a CUDA device, in mode direct, which reads neighbours of the node in place, and in mode "
    "notify, which stages; beside a copy of as many bytes inside the device, and a swap that is written by hand: copies into pinned "
    "memory, "
    "MPI, copies out of it. One sample of each per round in shuffled order. Every cell of every halo is verified before and after. Ranks "
    "take the devices in turn. Ends with one sentence where there is none.";

void check_device_shape(const DeviceOptions &o) {
  if (o.local.empty()) return;
  if (o.local.size() != 3 || std::min(o.local[0], o.local[1]) < o.depth)
    throw CLI::ValidationError("--local", "needs x,y,z, and x and y at least as large as --depth");
}

CLI::App *add_device_command(CLI::App &app, DeviceOptions &o) {
  CLI::App *command = app.add_subcommand("device", kDevice);
  command->callback([&] { check_device_shape(o); });
  command
      ->add_option("--local", o.local,
                   "Cells per rank along x,y,z, of which x and y have halos (default: both shapes of MONC, "
                   "16,16,256 and 128,128,128)")
      ->delimiter(',')
      ->expected(3)
      ->check(common::positive_number());
  command->add_option("--fields", o.fields, "Fields of float64 per swap")->check(common::positive_number())->capture_default_str();
  command->add_option("--depth", o.depth, "Halo cells on each side")->check(common::positive_number())->capture_default_str();
  add_seconds(*command, o.seconds, "Begin no round and no shape after this many seconds");
  add_common(*command, o);
  add_sampling(*command, o);
  add_ranks(*command, o);
  command->footer("Example: mpiexec -n 2 halocline-bench device --json device.json");
  return command;
}

const char *const kModel =
    "Measures the operations of `operations` and the swaps of `halo` on several numbers of ranks, and fits a cost curve to each: latency, "
    "bytes "
    "over bandwidth with switch points, c log2(p), costs per neighbour and block, and for ranks that share cores. Checks the curves: "
    "fitted to "
    "every other size and number of ranks, they predict the rest. Writes a machine card, in which plans look up what a mode costs. "
    "Takes --seconds, the end of the operation or swap that runs then, and some seconds for the fit.";

CLI::App *add_model_command(CLI::App &app, ModelOptions &o) {
  CLI::App *command = app.add_subcommand("model", kModel);
  add_sizes(*command, o, "Bytes of operations between two ranks (default: 8 to 1 MiB)", {8, kOperationBytes});
  add_seconds(*command, o.seconds, "Begin no operation and no swap of another shape after this many seconds");
  command->add_option("--from", o.from, "Fit to the rows of this file, which a command wrote with --json, and measure nothing");
  command->add_option("--card", o.card,
                      "Machine card to write; none: no card (default: where this host's and this MPI's is kept: in "
                      "$XDG_CACHE_HOME/halocline, else ~/.cache/halocline)");
  command->add_flag("--add", o.add, "Keep the curves of other numbers of nodes that the card has");
  add_common(*command, o);
  add_sampling(*command, o);
  add_ranks(*command, o);
  command->footer(
      "`halocline plot curves` draws the file of --json: points, curves, switch points. docs/results.md describes card and file.\n"
      "Example: mpiexec -n 8 halocline-bench model --json model.json");
  return command;
}

// ---- what they run

/// A command between two ranks: measures and publishes.
template <class Options, class Report>
int run_between_two(const Launch &launch, const Options &options, Report (*measure)(MPI_Comm, const Options &, int, char **)) {
  if (size_of(launch.comm) != 2) return refuse("this command is for 2 ranks");
  try {
    launch.publisher.publish(measure(launch.comm, options, launch.argc, launch.argv));
    return EXIT_SUCCESS;
  } catch (const halocline::Error &error) {
    if (error.status() != HLC_ERR_UNSUPPORTED) throw;
    return refuse(std::string("cannot be measured here: ") + error.what());
  }
}

template <class Options, class Report>
Command between_two(CLI::App *(*add)(CLI::App &, Options &), Report (*measure)(MPI_Comm, const Options &, int, char **)) {
  return command_of<Options>(add,
                             [measure](const Launch &launch, const Options &options) { return run_between_two(launch, options, measure); });
}

int run_model_command(const Launch &launch, const ModelOptions &options) {
  const auto report = run_model(launch.comm, options, launch.argc, launch.argv);
  if (report) launch.publisher.publish(*report);
  return end_with(report ? report->no_card : "");
}

}  // namespace

Commands halocline_commands(const AddContenders &guests) {
  const auto run_halo = [guests](const Launch &launch, const HaloOptions &options) {
    const HaloOutcome outcome = measure_halo(launch.comm, options, launch.argc, launch.argv, guests);
    if (outcome.wrong) return common::say({EXIT_FAILURE, "", "WRONG HALO: " + *outcome.wrong + "\n"}), EXIT_FAILURE;
    launch.publisher.publish(*outcome.report);
    return EXIT_SUCCESS;
  };
  return {command_of<HaloOptions>(add_halo_command, run_halo),
          command_of<ModelOptions>(add_model_command, run_model_command, true),
          between_two(add_notify_command, run_notify),
          between_two(add_bandwidth_command, run_bandwidth),
          between_two(add_overlap_command, run_overlap),
          between_two(add_progress_command, run_progress),
          reporting(add_operations_command, run_operations),
          reporting(add_armci_command, run_armci),
          reporting(add_shmem_command, run_shmem),
          reporting(add_computing_command, run_computing),
          reporting(add_device_command, run_device)};
}

}  // namespace bench
