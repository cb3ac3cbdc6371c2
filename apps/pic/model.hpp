// One run: state, plans, and the order of a step. The scheme is ECSIM (Lapenta 2017): with theta = 1/2 energy is conserved up to what the
// field solver leaves open.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "charge.hpp"
#include "field_solver.hpp"
#include "migration.hpp"
#include "state.hpp"
#include "variant.hpp"

namespace pic {

/// What a step found on its way.
struct StepReport {
  int field_iterations = 0, charge_iterations = 0;
  double field_residual = 0;
  /// The most energy that this residual may have made or lost with theta = 1/2. The field's energy changes by 2 E' r per volume beside what
  /// particles and magnetic field exchange with it; r is the residual, and E' no longer than the right-hand side with it, since the operator
  /// adds to the identity what has no negative eigenvalue.
  double energy_left_open = 0;
  double gauss_error = 0;  ///< of the charge, relative to the first species' mean; rms over the cells
  std::int64_t migrated = 0;  ///< particles that came to this rank
};

class Model {
 public:
  /// Collective. Begins at time 0, or with a state that was read.
  Model(const halocline::Context &context, const Options &options, const Variant &variant);
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  void step();
  /// After the state was replaced by one that had been written: what follows from it.
  void resume();

  const Block &block() const { return block_; }
  const Options &options() const { return options_; }
  State &state() { return state_; }
  const State &state() const { return state_; }
  const StepReport &last() const { return last_; }
  Sums &sums() { return *sums_; }
  Clock &clock() { return clock_; }
  /// Charge per volume of each species on centres, half a step ahead of the fields.
  const Array &density() const { return density_; }
  double time() const { return static_cast<double>(state_.step) * options_.time_step; }

 private:
  void begin();
  void start_magnetic();
  void update_magnetic_on_nodes();
  void collect_moments();
  void update_fields();
  void push(double position_step);
  void move_particles(double position_step);
  void migrate();
  void meet();
  void collect_charge();
  void correct_charge();
  void start_gauss_error(const std::vector<double> &of_field, const std::vector<double> &old_charge);
  void finish_gauss_error();
  std::vector<double> total_charge() const;
  std::vector<double> divergence_of_field();
  void sort_particles();

  const Options &options_;
  Block block_;
  Clock clock_;
  Setup setup_;
  std::unique_ptr<Sums> sums_;
  std::unique_ptr<Migration> migration_;
  State state_;
  Array magnetic_on_nodes_;
  Array moments_;
  Array density_, scratch_, curl_;
  Swaps electric_swaps_, magnetic_swaps_, moments_deposit_, moments_swaps_, charge_deposit_;
  FieldSolver solver_;
  Correction correction_;
  double background_ = 0;  ///< charge per volume of what does not move
  double most_current_ = 0, most_matrix_ = 0;
  std::vector<double> charge_;  ///< of all species and the background, on own centres
  StepReport last_;
};

}  // namespace pic
