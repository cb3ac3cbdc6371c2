// What is said about a state: energies, charge, momentum, a Fourier mode, and fingerprints. The same bits on any number of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model.hpp"

namespace pic {

struct Diagnosis {
  double electric = 0, magnetic = 0;  ///< energies
  std::vector<double> kinetic;  ///< of each species
  std::vector<double> charge;  ///< of each species
  double momentum[3] = {0, 0, 0};
  double cosine[3] = {0, 0, 0}, sine[3] = {0, 0, 0};  ///< of the components of E along the case's mode
  std::int64_t particles = 0;

  double energy() const;
};

/// Collective.
Diagnosis diagnose(Model &model);

/// The bits of all fields and particles, whatever rank has them. Collective.
std::uint64_t fingerprint(const Model &model);

}  // namespace pic
