// SPDX-License-Identifier: BSD-3-Clause
#include "charge.hpp"

#include <algorithm>

namespace pic {
namespace {

/// Calls visit(i, j, own) for all rows of a block: own is the number of the row's first cell.
template <class Visit>
void for_rows(const Block &block, const Visit &visit) {
  for (std::int64_t i = 0; i < block.n(0); ++i)
    for (std::int64_t j = 0; j < block.n(1); ++j) visit(i, j, (i * block.n(1) + j) * block.n(2));
}

}  // namespace

Correction::Correction(const Setup &setup)
    : block_(setup.block),
      guess_(setup.context, setup.block, 1),
      potential_(setup.context, setup.block, 2),
      displacement_(setup.context, setup.block, 3),
      face_swaps_(setup, guess_, Sides::faces, Way::forward, Site::gauss, "potential of an iteration"),
      swaps_(setup, potential_, Sides::both, Way::forward, Site::gauss, "displacement potential"),
      x_(size()) {
  for (int d = 0; d < 3; ++d) per_square_[d] = 1 / (block_.spacing(d) * block_.spacing(d));
}

void Correction::apply(const double *from, double *to) {
  const std::int64_t row = block_.n(2);
  for_rows(block_,
           [&](std::int64_t i, std::int64_t j, std::int64_t own) { std::copy_n(from + own, row, guess_.at(block_.cell(i, j, 0))); });
  face_swaps_.swap();
  for_rows(block_, [&](std::int64_t i, std::int64_t j, std::int64_t own) { apply_to_row(i, j, to + own); });
}

void Correction::apply_to_row(std::int64_t i, std::int64_t j, double *to) const {
  const std::int64_t cells = block_.n(2);
  const double *row = guess_.at(block_.cell(i, j, 0));
  const double *sides[2][2] = {{guess_.at(block_.cell(i + 1, j, 0)), guess_.at(block_.cell(i - 1, j, 0))},
                               {guess_.at(block_.cell(i, j + 1, 0)), guess_.at(block_.cell(i, j - 1, 0))}};
  const double first = *guess_.at(block_.cell(i, j, -1)), last = *guess_.at(block_.cell(i, j, cells));
  for (std::int64_t k = 0; k < cells; ++k) {
    const double here = row[k], above = k + 1 < cells ? row[k + 1] : last, below = k > 0 ? row[k - 1] : first;
    double sum = 0;
    for (int d = 0; d < 2; ++d) sum += per_square_[d] * ((here - sides[d][0][k]) + (here - sides[d][1][k]));
    to[k] = sum + per_square_[2] * ((here - above) + (here - below));
  }
}

Solved Correction::run(const std::vector<double> &missing, const Array &density, Sums &sums, const Limits &limits,
                       std::vector<Species> &species) {
  const Solved solved = solve_cg(*this, sums, limits, missing, x_);
  for_own(block_, [&](std::size_t cell, std::size_t own, auto, auto, auto) {
    double light = 0;
    for (std::size_t s = 0; s < species.size(); ++s)
      if (is_light(species[s], species)) light += density.at(cell)[s];
    potential_.at(cell)[0] = x_[own];
    potential_.at(cell)[1] = light;
  });
  swaps_.swap();
  find_displacements();
  for (Species &some : species)
    if (is_light(some, species)) displace(some);
  return solved;
}

/// Density times displacement is the gradient of the potential, on nodes: its divergence is what is missing.
void Correction::find_displacements() {
  gradient(block_, potential_, To::nodes, wider(block_, 0, 1), displacement_);
  for_range(block_, wider(block_, 0, 1), [&](std::size_t cell) {
    double sum = 0;
    for (int a = 0; a < 8; ++a)
      sum += potential_.at(moved(cell, -(a >> 2) * block_.stride(0) - ((a >> 1) & 1) * block_.stride(1) - (a & 1) * block_.stride(2)))[1];
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
  for_own(block_, [&](std::size_t cell, std::size_t own, auto, auto, auto) { potential_.at(cell)[0] = x_[own]; });
  swaps_.swap();
  gradient(block_, potential_, To::nodes, own(block_), displacement_);
  for_own(block_, [&](std::size_t cell, auto, auto, auto, auto) {
    for (int c = 0; c < 3; ++c) electric.at(cell)[c] -= displacement_.at(cell)[c];
  });
}

}  // namespace pic
