// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

#include <algorithm>
#include <stdexcept>

namespace pic {

static constexpr int kSweeps = 5;

static Int3 int3(const std::vector<std::int64_t> &list) { return {list[0], list[1], list[2]}; }

Model::Model(const halocline::Context &context, const Options &options, const Variant &variant)
    : options_(options),
      block_(context, int3(options.cells), {options.length[0], options.length[1], options.length[2]},
             {options.ranks[0], options.ranks[1], options.ranks[2]}),
      setup_{context, block_, variant.mode, variant.reverse_mode, clock_},
      sums_(make_sums(variant.sums, context, clock_)),
      migration_(make_migration(variant.particles, context)),
      state_(context, block_),
      magnetic_on_nodes_(context, block_, 3),
      moments_(context, block_, kMoments),
      density_(context, block_, std::max(1, static_cast<int>(options.species.size()))),
      scratch_(context, block_, 1),
      curl_(context, block_, 3),
      electric_swaps_(setup_, state_.electric, Sides::both, Way::forward, Site::gauss, "electric field"),
      magnetic_swaps_(setup_, state_.magnetic, Sides::both, Way::forward, Site::fields, "magnetic field"),
      moments_deposit_(setup_, moments_, Sides::high, Way::reverse, Site::moments, "moments"),
      moments_swaps_(setup_, Moved(moments_, kBlock, kCurrent - kBlock), Sides::not_high_x, Way::forward, Site::moments, "moments, summed"),
      charge_deposit_(setup_, density_, Sides::both, Way::reverse, Site::gauss, "charge"),
      solver_(setup_, moments_, options.theta * options.time_step),
      correction_(setup_),
      charge_(block_.own_cells()) {
  set_initial(block_, options, state_);
  begin();
}

/// The field of the charge at time 0, then particles half a step ahead.
void Model::begin() {
  migrate();
  collect_charge();
  ExactSum sum;
  for (const double charge : total_charge()) sum.add(charge);
  background_ = -sums_->all(sum) / static_cast<double>(block_.global_cells());
  const std::vector<double> charge = total_charge();
  // Each sweep leaves less of what the averages of divergence and gradient have damped; along one dimension the first one is exact.
  for (int sweep = 0; sweep < kSweeps && !options_.species.empty(); ++sweep) {
    electric_swaps_.swap();
    std::vector<double> missing = divergence_of_field();
    for (std::size_t i = 0; i < missing.size(); ++i) missing[i] = charge[i] - missing[i];
    correction_.add_field(missing, *sums_, {1e-10, 500}, state_.electric);
  }
  move_particles(0.5 * options_.time_step);
  migrate();
  resume();
}

void Model::resume() {
  most_current_ = most_matrix_ = 0;
  for (const Species &species : state_.species) {
    const double most = 8 * kCrowd * std::fabs(species.charge_density);
    most_current_ += most;
    most_matrix_ += most * std::fabs(0.5 * options_.time_step * species.charge_to_mass);
  }
  electric_swaps_.swap();
  start_magnetic();
  collect_charge();
  charge_ = total_charge();
  update_magnetic_on_nodes();
}

/// Each step begins with the halo of E, which needs no swap of its own, and with B on nodes.
void Model::step() {
  last_ = {};
  if (state_.step % 16 == 0) sort_particles();
  collect_moments();
  update_fields();
  push(options_.time_step);
  migrate();
  correct_charge();
  update_magnetic_on_nodes();
  finish_gauss_error();
  ++state_.step;
}

void Model::start_magnetic() {
  meet();
  magnetic_swaps_.start();
}

void Model::update_magnetic_on_nodes() {
  magnetic_swaps_.finish();
  average(block_, state_.magnetic, To::nodes, wider(block_, 0, 1), magnetic_on_nodes_);
}

void Model::collect_moments() {
  moments_.clear();
  if (state_.species.empty()) return;
  for (const Species &species : state_.species)
    add_moments(block_, species, options_.time_step, magnetic_on_nodes_, most_current_, most_matrix_, moments_);
  meet();
  moments_deposit_.swap();
  moments_swaps_.swap();
}

/// E and B at n + 1, while the solver has E at n + theta for the particles. E is computed in the halo, too, as its owners do; the swap of B
/// ends when the particles have moved.
void Model::update_fields() {
  curl(block_, state_.magnetic, To::nodes, own(block_), curl_);
  const Solved solved = solver_.solve(state_.electric, curl_, *sums_, {options_.tolerance, 400});
  last_.field_iterations = solved.iterations;
  last_.field_residual = solved.residual;
  last_.energy_left_open = 2 * solved.residual * (1 + solved.residual) * solved.right * solved.right * block_.volume();
  curl(block_, solver_.new_field(), To::centres, own(block_), curl_);
  for_own(block_, [&](std::size_t cell, auto, auto, auto, auto) {
    for (int c = 0; c < 3; ++c) state_.magnetic.at(cell)[c] -= options_.time_step * curl_.at(cell)[c];
  });
  start_magnetic();
  for_range(block_, wider(block_, 1, 1), [&](std::size_t cell) {
    for (int c = 0; c < 3; ++c) {
      double &electric = state_.electric.at(cell)[c];
      electric += (solver_.new_field().at(cell)[c] - electric) / options_.theta;
    }
  });
}

/// Velocities to n + 1, by the old magnetic field and the new electric one, then places to n + 3/2.
void Model::push(double position_step) {
  const Shape shape(block_, 0);
  for (Species &species : state_.species) {
    const double beta = 0.5 * species.charge_to_mass * options_.time_step;
    for (Particle &p : species.particles) {
      const Corners corners = shape.corners(p.x);
      double magnetic[3], electric[3], alpha[kBlock], v[3];
      interpolate(shape, corners, magnetic_on_nodes_, magnetic);
      interpolate(shape, corners, solver_.new_field(), electric);
      rotation(beta, magnetic, alpha);
      for (int c = 0; c < 3; ++c) v[c] = p.v[c] + beta * electric[c];
      for (int r = 0; r < 3; ++r) p.v[r] = 2 * (alpha[3 * r] * v[0] + alpha[3 * r + 1] * v[1] + alpha[3 * r + 2] * v[2]) - p.v[r];
    }
  }
  move_particles(position_step);
}

void Model::move_particles(double position_step) {
  for (Species &species : state_.species)
    for (Particle &p : species.particles)
      for (int d = 0; d < 3; ++d) {
        if (!(std::fabs(p.v[d]) < 1))
          throw std::runtime_error("particle " + std::to_string(p.id) + " of " + species.name + " moves at " + std::to_string(p.v[d]) +
                                   " times the speed of light at step " + std::to_string(state_.step) + "; use a smaller time step");
        p.x[d] = wrapped(p.x[d] + position_step * p.v[d], block_.length(d));
      }
}

void Model::meet() {
  if (!options_.meet) return;
  const Timed timed(clock_, Site::waiting);
  MPI_Barrier(MPI_COMM_WORLD);
}

void Model::migrate() {
  meet();
  last_.migrated += migration_->run(block_, state_.species, clock_);
}

void Model::collect_charge() {
  density_.clear();
  for (std::size_t s = 0; s < state_.species.size(); ++s) {
    const double most = kCrowd * std::fabs(state_.species[s].charge_density);
    add_charge(block_, state_.species[s], most, static_cast<int>(s), density_);
  }
  meet();
  if (!state_.species.empty()) charge_deposit_.swap();
  for (std::size_t s = 0; s < state_.species.size(); ++s) {
    const double most = kCrowd * std::fabs(state_.species[s].charge_density);
    if (!are_exact(block_, density_, static_cast<int>(s), static_cast<int>(s) + 1, most))
      throw std::runtime_error("a cell has more than " + std::to_string(static_cast<int>(kCrowd)) + " times the mean charge of " +
                               state_.species[s].name + " at step " + std::to_string(state_.step) + "; sums would not be exact");
  }
}

std::vector<double> Model::total_charge() const {
  std::vector<double> total(block_.own_cells(), background_);
  for_own(block_, [&](std::size_t cell, std::size_t own, auto, auto, auto) {
    for (std::size_t s = 0; s < state_.species.size(); ++s) total[own] += density_.at(cell)[s];
  });
  return total;
}

std::vector<double> Model::divergence_of_field() {
  divergence(block_, state_.electric, To::centres, own(block_), scratch_);
  std::vector<double> result(block_.own_cells());
  gather(block_, scratch_, result.data());
  return result;
}

/// The charge that belongs to the field at n + 1 is a mean of those at n + 1/2 and n + 3/2.
void Model::correct_charge() {
  if (state_.species.empty()) return;
  const double weight = options_.correction_weight;
  const std::vector<double> old_charge = charge_, of_field = divergence_of_field();
  if (options_.correct_charge) {
    collect_charge();
    const std::vector<double> now = total_charge();
    std::vector<double> missing(now.size());
    for (std::size_t i = 0; i < missing.size(); ++i) missing[i] = (of_field[i] - (1 - weight) * old_charge[i]) / weight - now[i];
    const Limits limits{options_.correction_tolerance, 200};
    last_.charge_iterations = correction_.run(missing, density_, *sums_, limits, state_.species).iterations;
    migrate();
  }
  collect_charge();
  charge_ = total_charge();
  start_gauss_error(of_field, old_charge);
}

void Model::start_gauss_error(const std::vector<double> &of_field, const std::vector<double> &old_charge) {
  const double weight = options_.correction_weight;
  ExactSum squares;
  for (std::size_t i = 0; i < of_field.size(); ++i) {
    const double error = of_field[i] - (1 - weight) * old_charge[i] - weight * charge_[i];
    squares.add(error * error);
  }
  sums_->start({squares});
}

void Model::finish_gauss_error() {
  if (state_.species.empty()) return;
  const double mean = sums_->finish()[0] / static_cast<double>(block_.global_cells());
  last_.gauss_error = std::sqrt(mean) / std::fabs(state_.species[0].charge_density);
}

/// By cells, so that neighbours in memory are neighbours on the grid. Results do not depend on it.
void Model::sort_particles() {
  const Shape shape(block_, 0);
  for (Species &species : state_.species) {
    std::vector<std::size_t> first(block_.cell_numbers() + 1);
    for (const Particle &p : species.particles) ++first[shape.corners(p.x).low + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<Particle> sorted(species.particles.size());
    for (const Particle &p : species.particles) sorted[first[shape.corners(p.x).low]++] = p;
    species.particles = std::move(sorted);
  }
}

}  // namespace pic
