// What particles give to the grid: the current without the new field and the mass matrix, which says how the current follows from that field
// (Lapenta 2017), and charge densities.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "matrix.hpp"
#include "particles.hpp"

namespace pic {

/// Numbers of a node's moments: 14 blocks of the mass matrix, row by row, then the current.
inline constexpr int kBlock = 9;
inline constexpr int kCurrent = kPairs * kBlock;
inline constexpr int kMoments = kCurrent + 3;

/// alpha of Lapenta 2017: turns v + beta E into the mean of the old and the new velocity. beta = charge / mass * time step / 2.
void rotation(double beta, const double *magnetic, double *alpha);

/// v at a particle of a field on nodes with 3 numbers.
inline void interpolate(const Shape &shape, const Corners &corners, const Array &field, double *v) {
  v[0] = v[1] = v[2] = 0;
  for (int a = 0; a < 8; ++a) {
    const double *node = field.at(corners.low + shape.offset[a]);
    for (int c = 0; c < 3; ++c) v[c] += corners.weight[a] * node[c];
  }
}

/// Sums of particles are exact up to `crowd` times the mean density; denser cells are found by what checks the moments.
inline constexpr double kCrowd = 256;

/// Adds a species' moments; a node of the halo gets what belongs to its owner. magnetic: on nodes.
void add_moments(const Block &block, const Species &species, double time_step, const Array &magnetic, double most_current,
                 double most_matrix, Array &moments);
/// Adds the charge of a species on centres, per volume, to number `number` of an array.
void add_charge(const Block &block, const Species &species, double most, int number, Array &density);
/// Whether all own values are exact sums: none is larger than `most`.
bool are_exact(const Block &block, const Array &array, int first, int last, double most);

}  // namespace pic
