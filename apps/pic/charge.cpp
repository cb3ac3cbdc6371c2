// SPDX-License-Identifier: BSD-3-Clause
#include "charge.hpp"

#include <algorithm>

namespace pic {

Correction::Correction(const Setup &setup)
    : block_(setup.block),
      potential_(setup.context, setup.block, 1),
      displacement_(setup.context, setup.block, 3),
      face_swaps_(setup, potential_, Sides::faces, Way::forward, Site::gauss, "potential of an iteration"),
      swaps_(setup, potential_, Sides::both, Way::forward, Site::gauss, "displacement potential"),
      x_(size()) {
  for (int d = 0; d < 3; ++d) per_square_[d] = 1 / (block_.spacing(d) * block_.spacing(d));
}

void Correction::apply(const double *from, double *to) {
  scatter(block_, from, potential_);
  face_swaps_.swap();
  for_own(block_, [&](std::size_t cell, std::size_t own, auto, auto, auto) {
    const double here = *potential_.at(cell);
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
      const double above = *potential_.at(moved(cell, block_.stride(d))), below = *potential_.at(moved(cell, -block_.stride(d)));
      sum += per_square_[d] * ((here - above) + (here - below));
    }
    to[own] = sum;
  });
}

Solved Correction::run(const std::vector<double> &missing, const Array &density, Sums &sums, const Limits &limits,
                       std::vector<Species> &species) {
  const Solved solved = solve_cg(*this, sums, limits, missing, x_);
  scatter(block_, x_.data(), potential_);
  swaps_.swap();
  find_displacements(density, species);
  for (Species &some : species)
    if (is_light(some, species)) displace(some);
  return solved;
}

/// Density times displacement is the gradient of the potential, on nodes: its divergence is what is missing.
void Correction::find_displacements(const Array &density, const std::vector<Species> &species) {
  gradient(block_, potential_, To::nodes, wider(block_, 0, 1), displacement_);
  Array &light = potential_;  // no longer needed
  for_range(block_, wider(block_, 1, 1), [&](std::size_t cell) {
    *light.at(cell) = 0;
    for (std::size_t s = 0; s < species.size(); ++s)
      if (is_light(species[s], species)) *light.at(cell) += density.at(cell)[s];
  });
  for_range(block_, wider(block_, 0, 1), [&](std::size_t cell) {
    double sum = 0;
    for (int a = 0; a < 8; ++a)
      sum += *light.at(moved(cell, -(a >> 2) * block_.stride(0) - ((a >> 1) & 1) * block_.stride(1) - (a & 1) * block_.stride(2)));
    for (int d = 0; d < 3; ++d) displacement_.at(cell)[d] = sum != 0 ? kPart * displacement_.at(cell)[d] / (0.125 * sum) : 0;
  });
}

void Correction::displace(Species &species) const {
  const Shape shape(block_, 0);
  for (Particle &p : species.particles) {
    double by[3];
    interpolate(shape, shape.corners(p.x), displacement_, by);
    for (int d = 0; d < 3; ++d) {
      const double limit = 0.5 * block_.spacing(d);
      p.x[d] = wrapped(p.x[d] + std::clamp(by[d], -limit, limit), block_.length(d));
    }
  }
}

bool is_light(const Species &species, const std::vector<Species> &all) {
  return std::all_of(all.begin(), all.end(),
                     [&](const Species &other) { return std::fabs(other.charge_to_mass) <= std::fabs(species.charge_to_mass); });
}

void Correction::add_field(const std::vector<double> &charge, Sums &sums, const Limits &limits, Array &electric) {
  solve_cg(*this, sums, limits, charge, x_);
  scatter(block_, x_.data(), potential_);
  swaps_.swap();
  gradient(block_, potential_, To::nodes, own(block_), displacement_);
  for_own(block_, [&](std::size_t cell, auto, auto, auto, auto) {
    for (int c = 0; c < 3; ++c) electric.at(cell)[c] -= displacement_.at(cell)[c];
  });
}

}  // namespace pic
