// Gauss's law. The lightest particles are moved by small distances, towards the charge that belongs to the field (Chen and Toth 2019, the
// approximate correction). Energy does not depend on places, and stays as it is. At the beginning the field is that of the charge.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gmres.hpp"
#include "moments.hpp"
#include "operators.hpp"
#include "swaps.hpp"

namespace pic {

/// Minus the Laplacian on centres, from the six neighbours.
class Correction : public Operator {
 public:
  /// Collective.
  explicit Correction(const Setup &setup);

  std::size_t size() const override { return block_.own_cells(); }
  void apply(const double *from, double *to) override;
  /// Moves particles of the species that have the largest charge per mass, so that `missing` is added to the charge on centres, as far as
  /// the grid resolves it. density: charge per volume of each species.
  Solved run(const std::vector<double> &missing, const Array &density, Sums &sums, const Limits &limits, std::vector<Species> &species);
  /// Adds the field of a charge on centres, whose sum is 0, as far as the grid resolves it.
  void add_field(const std::vector<double> &charge, Sums &sums, const Limits &limits, Array &electric);

 private:
  /// What is moved: the gradient of the potential. Of all that is missing 9 / 10 are corrected, as the authors do.
  static constexpr double kPart = 0.9;

  /// Minus the Laplacian of the guess in cells (i, j, 0) and above.
  void apply_to_row(std::int64_t i, std::int64_t j, double *to) const;
  void find_displacements();
  void displace(Species &species) const;

  const Block &block_;
  double per_square_[3];
  Array guess_;  ///< the potential of an iteration
  Array potential_;  ///< and, as its second number, the density of the lightest species: one swap moves both
  Array displacement_;
  Swaps face_swaps_, swaps_;
  std::vector<double> x_;
};

/// Whether a species is one of the lightest.
bool is_light(const Species &species, const std::vector<Species> &all);

}  // namespace pic
