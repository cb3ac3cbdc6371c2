// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "pattern.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

namespace bench {

static const std::vector<ElementType> kTypes = {{"float32", HLC_FLOAT32, 4},     {"float64", HLC_FLOAT64, 8},
                                                {"int32", HLC_INT32, 4},         {"int64", HLC_INT64, 8},
                                                {"complex64", HLC_COMPLEX64, 8}, {"complex128", HLC_COMPLEX128, 16}};

static std::vector<std::string> names_of_types() {
  std::vector<std::string> names;
  for (const ElementType &type : kTypes) names.push_back(type.name);
  return names;
}

/// A swap in mode view moves nothing: what it costs is the solver's reading, which apps/ghost measures. Here it would be mode direct again.
static bool can_race(int mode) { return mode != HLC_MODE_VIEW; }

static std::vector<std::string> names_of_modes() {
  std::vector<std::string> names{"all"};
  for (int mode = HLC_MODE_DEFAULT + 1; mode < HLC_MODE_COUNT_; ++mode)
    if (can_race(mode)) names.push_back(hlc_mode_name(static_cast<hlc_mode>(mode)));
  return names;
}

template <class T>
static std::vector<std::string> words_of(const std::map<std::string, T> &choices) {
  std::vector<std::string> words;
  for (const auto &choice : choices) words.push_back(choice.first);
  return words;
}

const ElementType &HaloOptions::element() const {
  return *std::find_if(kTypes.begin(), kTypes.end(), [&](const ElementType &known) { return known.name == type; });
}

std::vector<halocline::Mode> HaloOptions::selected() const {
  const auto asked = [&](const std::string &name) { return std::find(modes.begin(), modes.end(), name) != modes.end(); };
  std::vector<halocline::Mode> chosen;
  for (int mode = HLC_MODE_DEFAULT + 1; mode < HLC_MODE_COUNT_; ++mode)
    if (can_race(mode) && (mode == HLC_MODE_P2P || asked("all") || asked(hlc_mode_name(static_cast<hlc_mode>(mode)))))
      chosen.push_back(static_cast<halocline::Mode>(mode));
  return chosen;
}

static const char *const kDescription =
    "Times one halo swap of a periodic grid in every mode, side by side in one run. All modes, the hand-written swap (hand_p2p) and the "
    "physical limit work on the same fields and take turns, one sample each per round in shuffled order, so that noise hits all alike. "
    "Before and after the measurement every halo cell of every mode is verified against the rank, field, cell and step that must have "
    "written it; a wrong cell is named, and the exit status is 1.";

static const char *const kColumns =
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
static void add_choice(CLI::App &halo, const std::string &name, T &value, const std::map<std::string, T> &choices,
                       const std::string &description) {
  std::string present;
  for (const auto &[word, choice] : choices)
    if (choice == value) present = word;
  halo.add_option_function<std::string>(
          name, [&value, choices](const std::string &word) { value = choices.at(word); }, description)
      ->check(CLI::IsMember(words_of(choices)))
      ->default_str(present);
}

static void add_problem(CLI::App &halo, HaloOptions &o) {
  halo.add_option("--local", o.local, "Cells per rank along x,y,z; z is contiguous in memory")
      ->delimiter(',')
      ->expected(3)
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  halo.add_option("--depth", o.depth, "Halo cells on each side")->check(CLI::PositiveNumber)->capture_default_str();
  halo.add_option("--fields", o.fields, "Fields per swap")->check(CLI::Range(1, static_cast<int>(kMaxFields)))->capture_default_str();
  halo.add_option("--type", o.type, "Element type")->check(CLI::IsMember(names_of_types()))->capture_default_str();
  add_choice(halo, "--stencil", o.stencil, {{"box", halocline::Stencil::box}, {"star", halocline::Stencil::star}},
             "box: edges and corners too; star: faces only");
  add_choice(halo, "--split", o.split_z, {{"xy", false}, {"xyz", true}}, "Dimensions that are split over the ranks and have a halo");
  halo.add_flag("--reorder", o.reorder, "Give the ranks the places in which as many neighbours as possible share a node");
}

static void add_measurement(CLI::App &halo, HaloOptions &o) {
  halo.add_option("--modes", o.modes, "Modes, comma-separated, or all; p2p, hand_p2p and the limit always run")
      ->delimiter(',')
      ->check(CLI::IsMember(names_of_modes()))
      ->default_str("all");
  halo.add_flag("--epochs", o.epochs, "Also fence and pscw with late epochs (rows fence_late, pscw_late)");
  halo.add_flag("--drives", o.drives, "Also the get-driven fence (row fence_get)");
  halo.add_option("--repetitions", o.repetitions, "Rounds, that is samples per mode")->check(CLI::PositiveNumber)->capture_default_str();
  halo.add_option("--warmups", o.warmups, "Verified warm-up swaps per mode")->check(CLI::PositiveNumber)->capture_default_str();
  halo.add_option("--sample-ms", o.sample_ms, "A sample repeats the swap until it takes about this many milliseconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  add_choice(
      halo, "--edge", o.edge, {{"stamp", Edge::stamp}, {"rewrite", Edge::rewrite}},
      "stamp: one cell of every edge column changes before each sample; rewrite: the whole edge before each swap, outside the clock");
  halo.add_option("--skew", o.skew_us, "Every rank is late by a random time up to so many microseconds before each swap")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  halo.add_option("--fake-nodes", o.fake_nodes, "Treat the ranks as so many nodes (0: as they are)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  halo.add_option("--seed", o.seed, "Seed of the order of modes and of the skew")->capture_default_str();
  halo.add_option("--json", o.json, "Write the environment and all samples to this file");
  halo.add_option(
      "--doctor", o.doctor,
      "Report of halocline-doctor; modes that it found wrong are left out (default: the report that it kept for this MPI and host; "
      "none: no report)");
  halo.add_flag("--progress", o.progress, "Show progress on stderr even if it is no terminal");
}

CLI::App *add_halo_command(CLI::App &app, HaloOptions &options) {
  CLI::App *halo = app.add_subcommand("halo", kDescription);
  add_problem(*halo, options);
  add_measurement(*halo, options);
  halo->footer(kColumns);
  return halo;
}

}  // namespace bench
