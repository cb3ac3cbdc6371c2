// The arithmetic of rows: collisions, equilibria, and what a free energy adds. A site has the same bits wherever it is in a row.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "d3q19.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace boltzmann {

/// Several rows side by side: row r begins at (*this)[r].
class Rows {
 public:
  Rows(int rows, std::int64_t length) : stride_((length + 7) / 8 * 8), values_(static_cast<std::size_t>(rows * stride_)) {}
  double *operator[](int row) { return values_.data() + row * stride_; }
  const double *operator[](int row) const { return values_.data() + row * stride_; }
  std::int64_t stride() const { return stride_; }

 private:
  std::int64_t stride_;
  std::vector<double> values_;
};

/// Two relaxation times: of what is even in the velocities, which is the viscosity's, and of what is odd. With their product at 3/16 walls
/// are exactly half way between sites (Ginzburg and d'Humieres).
struct Relaxation {
  explicit Relaxation(double viscosity, const std::vector<double> &force);
  double even, odd;
  double force[kDims];
};

/// -bulk phi^2 / 2 + bulk phi^4 / 4 + kappa |grad phi|^2 / 2.
struct FreeEnergy {
  double bulk, kappa;
  double mobility;
};

/// What a free energy gives at each site of a row, by row: the six stresses xx, yy, zz, xy, xz, yz, then the chemical potential.
inline constexpr int kStresses = 6, kPotential = 6, kChemistry = 7;
/// The rows of phi that this needs: row 3 (x + 1) + y + 1 is that beside it by (x, y), from site z = -1 on.
inline constexpr int kAround = 9;
void add_chemistry(const FreeEnergy &energy, const Rows &around, std::int64_t n, Rows &chemistry);

/// Above this part of the speed of sound, 1 / sqrt(3), results are those of a fluid that is compressed: they are off by its square (Krueger et
/// al., 2017).
inline constexpr double kMostMach = 0.3;

/// Collides the distributions of a row in place. chemistry: null for one fluid. velocity: null, or three rows for the velocity. Returns
/// whether the fluid is slower than kMostMach at all sites, and its density positive; with what is no number (NaN) it is not.
bool collide(const Relaxation &relaxation, Rows &f, std::int64_t n, const Rows *chemistry, Rows *velocity);

/// Equilibria of density rho, and velocity or momentum per density.
void set_equilibrium(Rows &f, std::int64_t n, const double *rho, const Rows &velocity, const Rows *chemistry);
/// Equilibria of the order parameter, whose moments are phi, phi u, and phi u u + 2 mobility mu.
void set_order_parameter(const FreeEnergy &energy, Rows &g, std::int64_t n, const double *phi, const Rows &velocity, const Rows &chemistry);

}  // namespace boltzmann
