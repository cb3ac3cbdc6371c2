// All of pic that knows CLI11, which takes longer to compile than the rest of a file. It is not optimised (CMakeLists.txt).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "sums.hpp"

#include <common/parse.hpp>

#include <set>

namespace pic {

static const char *const kFooter =
    "Moves particles of several species and the electromagnetic field by an energy-conserving semi-implicit scheme. A case file (TOML) "
    "has\n"
    "the options by their names without dashes; those of the command line go first. Variants are MODE:SUMS:PARTICLES. MODE is one of the\n"
    "library's. SUMS: overlapped (notified puts, while the solver goes on), hlc (hlc_allreduce), mpi, mpi_overlapped. PARTICLES: sparse\n"
    "(hlc_sparse_exchange), notified (hlc_put_notify), messages (MPI). Several variants make their steps in turn, and must have the same "
    "bits. Exit status 1: a "
    "check\n"
    "failed, or variants differ; 2: the run could not be made. Example: mpiexec -n 2 pic apps/pic/two_stream.toml --history h.csv";

static void add_case(CLI::App &app, Options &o) {
  app.set_config("case", "", "Case file");
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.add_option("--title", o.title, "Of the case");
  app.add_option("--source", o.source, "Of its numbers");
  app.add_option("--cells", o.cells, "Along x, y, z")->expected(3)->delimiter(',')->check(CLI::Range(1, 1000000))->capture_default_str();
  app.add_option("--length", o.length, "Of the domain along x, y, z")->expected(3)->delimiter(',')->check(common::positive_number());
  app.add_option("--ranks", o.ranks, "Ranks along x, y, z; 0: chosen")->expected(3)->delimiter(',')->check(CLI::Range(0, 1000000));
  app.add_option("--time-step,--time_step", o.time_step, "Of fields and particles")
      ->check(common::positive_number())
      ->capture_default_str();
  app.add_option("--steps,--repeats", o.steps, "To make; each is a sample of the times")
      ->check(CLI::Range(0, 1000000000))
      ->capture_default_str();
  app.add_option("--theta", o.theta, "Of the implicit scheme: 0.5 conserves energy, 1 damps most")
      ->check(common::number_between(0.5, 1))
      ->capture_default_str();
  app.add_option("--tolerance", o.tolerance, "Residual of the field solver, relative")
      ->check(common::number_between(1e-15, 0.1))
      ->capture_default_str();
  app.add_flag("--correct-charge,--correct_charge,!--no-correct-charge", o.correct_charge, "Keep Gauss's law by small displacements");
  app.add_option("--correction-weight,--correction_weight", o.correction_weight, "Of the later one of two charges")
      ->check(common::number_between(0.5, 1))
      ->capture_default_str();
  app.add_option("--correction-tolerance,--correction_tolerance", o.correction_tolerance, "Residual of the charge correction, relative")
      ->check(common::number_between(1e-15, 0.5))
      ->capture_default_str();
}

static void add_species(CLI::App &app, Options &o) {
  app.add_option("--species", o.species, "Names; the following lists have a number for each. The rest of the charge does not move")
      ->delimiter(',');
  app.add_option("--charge", o.charge, "Of a particle")->delimiter(',')->check(common::finite_number());
  app.add_option("--mass", o.mass, "Of a particle")->delimiter(',')->check(common::positive_number());
  app.add_option("--density", o.density, "Particles per volume")->delimiter(',')->check(common::positive_number());
  app.add_option("--per-cell,--per_cell", o.per_cell, "Simulated particles per cell")->delimiter(',')->check(CLI::Range(1, 1000000));
  app.add_option("--thermal-speed,--thermal_speed", o.thermal_speed, "Standard deviation of each component")
      ->delimiter(',')
      ->check(common::number_from_zero());
  app.add_option("--drift", o.drift, "Mean velocity along x")->delimiter(',')->check(common::finite_number());
  app.add_option("--start", o.start, "quiet: evenly spaced; random")->check(CLI::IsMember({"quiet", "random"}))->capture_default_str();
  app.add_option("--seed", o.seed, "Of random numbers")->check(common::seed())->capture_default_str();
}

static void add_beginning(CLI::App &app, Options &o) {
  app.add_option("--mode", o.mode, "Wavelengths along x, y, z, of perturbation, wave and history")->expected(3)->delimiter(',');
  app.add_option("--perturbation", o.perturbation, "Of the first species' density, relative")->check(common::finite_number());
  app.add_option("--wave", o.wave, "Amplitude of a standing light wave")->check(common::finite_number());
  app.add_option("--sheet-field,--sheet_field", o.sheet_field, "Magnetic field of two Harris sheets; 0: none")
      ->check(common::finite_number());
  app.add_option("--sheet-thickness,--sheet_thickness", o.sheet_thickness, "Half of theirs")
      ->check(common::positive_number())
      ->capture_default_str();
  app.add_option("--sheet-background,--sheet_background", o.sheet_background, "Density around them")->check(common::number_from_zero());
  app.add_option("--sheet-perturbation,--sheet_perturbation", o.sheet_perturbation, "Field of the islands at the beginning, relative")
      ->check(common::finite_number());
  app.add_option("--sheet-temperature-ratio,--sheet_temperature_ratio", o.sheet_temperature_ratio, "Ions over electrons")
      ->check(common::positive_number());
}

static void add_output(CLI::App &app, Options &o) {
  app.add_option("--variant", o.variants, "MODE:SUMS:PARTICLES, comma-separated; MODE may be MODE+MODE, the second one for reverse swaps")
      ->delimiter(',')
      ->capture_default_str();
  app.add_flag("--meet", o.meet, "Ranks wait for each other before they communicate; the table lists that time by itself");
  app.add_option("--history", o.history, "Write energies and a mode to this file, as comma-separated values");
  app.add_option("--history-every,--history_every", o.history_every, "Steps from line to line")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--output", o.output, "Write fields, moments and all particles to this NetCDF file, from which --restart goes on");
  app.add_option("--output-every,--output_every", o.output_every, "Steps from record to record; 0: at the end only")
      ->check(CLI::Range(0, 1000000000));
  app.add_option("--checkpoint", o.checkpoint, "Write the state that --restart goes on from to this NetCDF file, at the end");
  app.add_option("--checkpoint-every,--checkpoint_every", o.checkpoint_every, "Steps from one such state to the next, too; 0: none")
      ->check(CLI::Range(0, 1000000000));
  app.add_option("--restart", o.restart, "Begin with the last state of this file; --steps more are made");
  app.add_option("--json", o.json, "Write the environment and all samples to this file");
}

/// What is wrong with the lists of species; empty if nothing is.
static std::string wrong_species(const Options &o) {
  const std::size_t n = o.species.size();
  if (o.charge.size() != n || o.mass.size() != n || o.density.size() != n || o.per_cell.size() != n || o.thermal_speed.size() != n ||
      o.drift.size() != n)
    return "charge, mass, density, per_cell, thermal_speed and drift need " + std::to_string(n) + " numbers each, one per species";
  for (const double charge : o.charge)
    if (charge == 0) return "a species has charge 0";
  if (n > 11) return "more than 11 species";
  if (std::set<std::string>(o.species.begin(), o.species.end()).size() != n) return "--species has a name twice";
  if (o.sheet_field != 0 && n != 2) return "Harris sheets need two species, electrons and ions, not " + std::to_string(n);
  if (o.sheet_field != 0 && (o.charge[0] > 0) == (o.charge[1] > 0))
    return "Harris sheets need two species whose charges have opposite signs";
  if (n == 0 && o.wave == 0) return "there is nothing to compute: give a case file, --species or --wave";
  return "";
}

std::optional<common::Answer> parse(int argc, char **argv, Options &options) {
  CLI::App app("Plasma by particles in cells. Run it under the MPI launcher.", "pic");
  app.footer(kFooter);
  add_case(app, options);
  add_species(app, options);
  add_beginning(app, options);
  add_output(app, options);
  if (auto answer = common::parse(app, argc, argv)) return answer;
  const std::string wrong = wrong_species(options);
  if (!wrong.empty()) return common::Answer{2, "", "pic: " + wrong + "\n"};
  return {};
}

}  // namespace pic
