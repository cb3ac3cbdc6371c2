// All of halocline-bench that knows CLI11, which takes longer to compile than the rest of a file. It runs once, so it is not optimised (CMakeLists.txt).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/command_line.hpp"

#include "bench/halo/pattern.hpp"
#include "bench/latency/pair.hpp"
#include "bench/rma/operations.hpp"
#include "bench/rma/tasks.hpp"
#include "bench/rma/windows.hpp"

#include <common/parse.hpp>

#include <algorithm>
#include <map>

namespace bench {

namespace {

template <class T>
std::vector<std::string> words_of(const std::map<std::string, T> &choices) {
  std::vector<std::string> words;
  for (const auto &choice : choices) words.push_back(choice.first);
  return words;
}

const char *const kDescription =
    "Times one halo swap of a periodic grid in every mode, side by side in one run. All modes, the hand-written swap (hand_p2p) and the "
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

/// An option that takes one of a few words.
template <class T>
void add_choice(CLI::App &halo, const std::string &name, T &value, const std::map<std::string, T> &choices,
                const std::string &description) {
  std::string present;
  for (const auto &[word, choice] : choices)
    if (choice == value) present = word;
  halo.add_option_function<std::string>(
          name, [&value, choices](const std::string &word) { value = choices.at(word); }, description)
      ->check(CLI::IsMember(words_of(choices)))
      ->default_str(present);
}

// ---- what commands share

/// Rounds, rank counts, nodes, formats and files: of every command.
void add_common(CLI::App &command, CommonOptions &o) {
  command.add_option("--repetitions", o.repetitions, "Rounds, that is samples of each")
      ->check(common::positive_number())
      ->capture_default_str();
  command.add_option("--fake-nodes", o.fake_nodes, "Treat the ranks as this number of nodes (0: as they are)")
      ->check(common::number_from_zero())
      ->capture_default_str();
  add_choice(command, "--format", o.format,
             {{"table", Format::table}, {"jsonl", Format::jsonl}, {"osu", Format::osu}, {"imb", Format::imb}, {"csv", Format::csv}},
             "table: for people; jsonl: a row of the schema per line; osu, imb: the columns of those benchmarks; csv");
  command.add_option("--json", o.json, "Write environment, rules, rows and all samples to this file");
  command.add_flag("--progress", o.progress, "Show progress on stderr even if it is not a terminal");
}

void add_seed(CLI::App &command, CommonOptions &o) {
  command.add_option("--seed", o.seed, "Seed of the order in a round, and of what else is random")
      ->check(common::seed())
      ->capture_default_str();
}

/// How samples are taken: of commands whose samples repeat an operation.
void add_sampling(CLI::App &command, CommonOptions &o) {
  command
      .add_option("--sample-ms", o.sample_ms, "A sample repeats the operation until it takes about this many milliseconds, at least once")
      ->check(common::positive_number())
      ->capture_default_str();
  add_seed(command, o);
}

/// Of commands for any number of ranks.
void add_ranks(CLI::App &command, CommonOptions &o) {
  command.add_option("--ranks", o.ranks, "Numbers of ranks, comma-separated, one run for each while the others sleep (default: all)")
      ->delimiter(',')
      ->check(common::positive_number());
}

void add_sizes(CLI::App &command, CommonOptions &o, const char *what, std::pair<std::int64_t, std::int64_t> range) {
  command.add_option("--sizes", o.sizes, std::string(what) + ", comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(range.first, range.second))
      ->capture_default_str();
}

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
                  "Modes, comma-separated; all: each but auto, which is one of them; p2p, hand_p2p and the limit always run")
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

const char *const kAllreduce =
    "Times sums of arrays of doubles over all ranks: hlc_allreduce_run, with arrays of a rank's own and with arrays from hlc_field_alloc, "
    "against the host MPI's MPI_Allreduce, and against a limit: every rank copies its array at the same time, which is the least that must "
    "be read and written; between two ranks on two nodes raw TCP, all bytes both ways at the same time. Any number of ranks. Each rank "
    "rewrites its array before each call, which is not timed. One sample of each per round in shuffled order; each result is compared "
    "with a serial sum, before and after.";

const char *const kFooter =
    "Raw TCP (TCP_NODELAY) is measured with a rank that waits inside the kernel and with one that polls; the faster counts. On one\nnode "
    "it goes over loopback, and the limit is a copy into shared memory and a flag.\nspread: 10th to 90th percentile of the "
    "samples.\nExample: mpiexec -n 2 halocline-bench ";

void add_message_sizes(CLI::App &command, PairOptions &o, std::int64_t least_bytes) {
  add_sizes(command, o, "Bytes of a message", {least_bytes, Slots::window});
  add_common(command, o);
}

void add_round_trips(CLI::App &command, PairOptions &o, const char *example) {
  add_message_sizes(command, o, 1);
  add_sampling(command, o);
  command.footer(std::string(kFooter) + example);
}

CLI::App *add_notify_command(CLI::App &app, PairOptions &options) {
  options.sizes = {8, 64, 512, 4096, 8192};
  CLI::App *command = app.add_subcommand("notify", kNotify);
  add_round_trips(*command, options, "notify --sizes 8,4096 --json notify.json");
  return command;
}

CLI::App *add_bandwidth_command(CLI::App &app, PairOptions &options) {
  options.sizes = {8, 64, 512, 4096, 32768, 262144, 1048576, 4194304};
  CLI::App *command = app.add_subcommand("bandwidth", kBandwidth);
  add_round_trips(*command, options, "bandwidth --sizes 8,4194304 --json bandwidth.json");
  return command;
}

CLI::App *add_overlap_command(CLI::App &app, PairOptions &options) {
  options.sizes = {1024, 16384, 131072, 1048576, 8388608};
  CLI::App *command = app.add_subcommand("overlap", kOverlap);
  add_message_sizes(*command, options, 8);
  add_seed(*command, options);
  command->footer("Example: mpiexec -n 2 halocline-bench overlap --fake-nodes 2 --sizes 131072,8388608 --json overlap.json");
  return command;
}

CLI::App *add_progress_command(CLI::App &app, PairOptions &options) {
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

CLI::App *add_allreduce_command(CLI::App &app, PairOptions &options) {
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
      "An MPI chooses among algorithms; tools/bench/collectives/allreduce.py runs this command once for each that can be asked for, and "
      "takes the "
      "best.\n"
      "spread: 10th to 90th percentile of the samples.\n"
      "Example: mpiexec -n 2 halocline-bench allreduce --largest 16777216 --json allreduce.json");
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

void add_parts(CLI::App &command, const std::string &name, PairOptions &o, const std::vector<std::string> &words, const std::string &what) {
  o.parts = words;
  command.add_option(name, o.parts, what)->delimiter(',')->check(CLI::IsMember(words))->capture_default_str();
}

CLI::App *add_rma_command(CLI::App &app, PairOptions &options) {
  options.sizes = {8, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
  CLI::App *command = app.add_subcommand("rma", kRma);
  add_sizes(*command, options, "Bytes of a put or get, and of an accumulate of doubles", {1, kMostRmaBytes});
  std::vector<std::string> parts = rma_parts();
  parts.push_back("interposition");
  add_parts(*command, "--parts", options, parts, "Groups of operations, comma-separated");
  add_common(*command, options);
  add_sampling(*command, options);
  add_ranks(*command, options);
  command->footer(
      "./go bench rma runs this under every MPI at hand, in turn.\n"
      "Example: mpiexec -n 2 -genv LD_PRELOAD libhalocline_mpi.so halocline-bench rma --json rma.json");
  return command;
}

CLI::App *add_windows_command(CLI::App &app, PairOptions &options) {
  CLI::App *command = app.add_subcommand("windows", kWindows);
  add_parts(*command, "--kinds", options, window_kinds(), "Kinds of windows, comma-separated");
  command->add_option("--bytes", options.window_bytes, "Bytes of data of each rank")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30))
      ->capture_default_str();
  command->add_option("--windows", options.windows, "The most windows open at the same time")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--seconds", options.seconds, "About this long for each kind by each set of names, at least one window")
      ->check(common::positive_number())
      ->capture_default_str();
  add_common(*command, options);
  add_seed(*command, options);
  add_ranks(*command, options);
  command->footer("Example: mpiexec -n 16 -genv LD_PRELOAD libhalocline_mpi.so halocline-bench windows --json windows.json");
  return command;
}

const char *const kOperations =
    "Times every one-sided operation of the engine (segments) and of the host MPI side by side, that of libhalocline_mpi as well where it "
    "is loaded first (LD_PRELOAD), and what the machine needs for it at least. Transfers, atomics, locks and the rate go from rank 0 to "
    "the last rank; epochs, barrier, allreduce, contention and creation take all ranks. One sample of each variant per round in shuffled "
    "order; the result of a sample is verified. The engine has no locks: it has atomics and notifications instead. Its counterpart of PSCW "
    "is a notification that the target is ready, and a put with a notification; that of a fence is a flush and a barrier.";

CLI::App *add_operations_command(CLI::App &app, PairOptions &options) {
  options.sizes = {8, 512, 4096, 65536, 1048576};
  CLI::App *command = app.add_subcommand("operations", kOperations);
  add_sizes(*command, options, "Bytes of an operation", {8, kOperationBytes});
  add_parts(*command, "--parts", options, operation_parts(), "Groups of operations, comma-separated");
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
  command->add_option("--seconds", o.seconds, "Begin no operation and no swap of another shape after this many seconds")
      ->check(common::positive_number())
      ->capture_default_str();
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

const char *const kAuto =
    "Races mode auto against every single mode over more than 40 configurations: sizes, depths, fields, element types, stencils, numbers "
    "of "
    "ranks up to those that were started, and pretended nodes. Prints which mode it chose, how it compares with the best one, and what its "
    "trial and the creation of its halos cost. Every halo is verified. Under ten minutes.";

CLI::App *add_auto_command(CLI::App &app, AutoOptions &o) {
  CLI::App *command = app.add_subcommand("auto", kAuto);
  command->add_option("--seconds", o.seconds, "Begin no configuration after this many seconds")
      ->check(common::positive_number())
      ->capture_default_str();
  command->add_option("--most", o.most, "At most this many configurations, of all kinds")
      ->check(common::positive_number())
      ->capture_default_str();
  add_common(*command, o);
  add_sampling(*command, o);
  command->footer("Example: mpiexec -n 8 halocline-bench auto --json auto.json");
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
      "spread: 10th to 90th percentile of the samples.\nExample: mpiexec -n 2 halocline-bench mesh --sides 24,48 --components 1,5");
  return command;
}

}  // namespace

CommandLine parse(int argc, char **argv) {
  CommandLine found;
  CLI::App app("Benchmarks of the halocline library. Run it under the MPI launcher: mpiexec -n 2 halocline-bench halo", "halocline-bench");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("halocline-bench ") + hlc_version());
  PairOptions notify, bandwidth, overlap, progress, allreduce, rma, windows, operations;
  add_halo_command(app, found.halo)->callback([&] {
    complete_shape(found.halo);
    found.command = Command::halo;
  });
  add_model_command(app, found.model)->callback([&] { found.command = Command::model; });
  add_auto_command(app, found.automatic)->callback([&] { found.command = Command::automatic; });
  add_mesh_command(app, found.mesh)->callback([&] { found.command = Command::mesh; });
  const auto pair = [&](CLI::App *command, Command which, const PairOptions &options) {
    command->callback([&found, which, &options] { found.command = which, found.pair = options; });
  };
  pair(add_notify_command(app, notify), Command::notify, notify);
  pair(add_bandwidth_command(app, bandwidth), Command::bandwidth, bandwidth);
  pair(add_overlap_command(app, overlap), Command::overlap, overlap);
  pair(add_progress_command(app, progress), Command::progress, progress);
  pair(add_allreduce_command(app, allreduce), Command::allreduce, allreduce);
  pair(add_rma_command(app, rma), Command::rma, rma);
  pair(add_windows_command(app, windows), Command::windows, windows);
  pair(add_operations_command(app, operations), Command::operations, operations);
  if (const auto answer = common::parse(app, argc, argv)) {
    found.command = Command::none;
    found.answer = *answer;
  }
  return found;
}

}  // namespace bench
