// SPDX-License-Identifier: BSD-3-Clause
#include "moments.hpp"

#include "exact_sum.hpp"

namespace pic {

void rotation(double beta, const double *magnetic, double *alpha) {
  const double b[3] = {beta * magnetic[0], beta * magnetic[1], beta * magnetic[2]};
  const double factor = 1 / (1 + (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]));
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) alpha[3 * r + c] = factor * ((r == c ? 1.0 : 0.0) + b[r] * b[c]);
  // v x b as a matrix.
  alpha[1] += factor * b[2];
  alpha[2] -= factor * b[1];
  alpha[3] -= factor * b[2];
  alpha[5] += factor * b[0];
  alpha[6] += factor * b[1];
  alpha[7] -= factor * b[0];
}

namespace {

void add_matrix(const Shape &shape, const Corners &corners, const double *block, const Rounded &rounded, Array &moments) {
  for (int a = 0; a < 8; ++a) {
    double *node = moments.at(corners.low + shape.offset[a]);
    for (int b = a; b < 8; ++b) {
      const double weight = corners.weight[a] * corners.weight[b];
      double *to = node + pair_of(a, b) * kBlock;
      for (int c = 0; c < kBlock; ++c) to[c] += rounded(weight * block[c]);
    }
  }
}

void add_current(const Shape &shape, const Corners &corners, const double *current, const Rounded &rounded, Array &moments) {
  for (int a = 0; a < 8; ++a) {
    double *to = moments.at(corners.low + shape.offset[a]) + kCurrent;
    for (int c = 0; c < 3; ++c) to[c] += rounded(corners.weight[a] * current[c]);
  }
}

}  // namespace

void add_moments(const Block &block, const Species &species, double time_step, const Array &magnetic, double most_current,
                 double most_matrix, Array &moments) {
  const Shape shape(block, 0);
  const Rounded round_current(most_current), round_matrix(most_matrix);
  const double beta = 0.5 * species.charge_to_mass * time_step, per_volume = 1 / block.volume();
  for (const Particle &p : species.particles) {
    const Corners corners = shape.corners(p.x);
    double field[3], alpha[kBlock], current[3];
    interpolate(shape, corners, magnetic, field);
    rotation(beta, field, alpha);
    const double density = p.charge * per_volume;
    for (int r = 0; r < 3; ++r) current[r] = density * (alpha[3 * r] * p.v[0] + alpha[3 * r + 1] * p.v[1] + alpha[3 * r + 2] * p.v[2]);
    add_current(shape, corners, current, round_current, moments);
    for (double &number : alpha) number *= density * beta;
    add_matrix(shape, corners, alpha, round_matrix, moments);
  }
}

void add_charge(const Block &block, const Species &species, double most, int number, Array &density) {
  const Shape shape(block, 0.5);
  const Rounded rounded(most);
  const double per_volume = 1 / block.volume();
  for (const Particle &p : species.particles) {
    const Corners corners = shape.corners(p.x);
    for (int a = 0; a < 8; ++a) density.at(corners.low + shape.offset[a])[number] += rounded(corners.weight[a] * (p.charge * per_volume));
  }
}

bool are_exact(const Block &block, const Array &array, int first, int last, double most) {
  bool exact = true;
  for_own(block, [&](std::size_t cell, auto, auto, auto, auto) {
    for (int i = first; i < last; ++i) exact = exact && std::fabs(array.at(cell)[i]) <= most;
  });
  return exact;
}

}  // namespace pic
