// Particles of several species, and their shape on the grid: a cube of the size of a cell (cloud in cell), linear weights of the eight
// corners around it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "block.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace pic {

struct Particle {
  double x[3];  ///< from 0 to the length of the domain, half a time step ahead of v
  double v[3];
  double charge;  ///< of all the real particles that it stands for
  std::uint64_t id;  ///< of its species
};

struct Species {
  std::string name;
  double charge_to_mass = 0;
  double charge_density = 0;  ///< mean over the domain
  std::vector<Particle> particles;
};

/// Into the domain again.
inline double wrapped(double x, double length) {
  if (x < 0) x += length;
  if (x >= length) x -= length;
  return x < 0 || x >= length ? 0 : x;
}

/// The eight nodes or centres around a particle, as 4 x + 2 y + z.
struct Corners {
  std::size_t low;  ///< the cell number of corner 0
  double above[3];  ///< the part of the cell's edge that lies below the particle
  double weight[8];

  void weigh() {
    for (int a = 0; a < 8; ++a) {
      const double x = a & 4 ? above[0] : 1 - above[0], y = a & 2 ? above[1] : 1 - above[1], z = a & 1 ? above[2] : 1 - above[2];
      weight[a] = x * y * z;
    }
  }
};

/// Finds the corners of particles.
class Shape {
 public:
  /// shift: 0 for nodes, 0.5 for centres.
  Shape(const Block &block, double shift) : block_(block), shift_(shift) {
    for (int d = 0; d < 3; ++d) per_length_[d] = 1 / block.spacing(d);
    for (int a = 0; a < 8; ++a)
      offset[a] = static_cast<std::size_t>((a >> 2) * block.stride(0) + ((a >> 1) & 1) * block.stride(1) + (a & 1) * block.stride(2));
  }
  /// The particle is in the block. The same bits on any rank.
  Corners corners(const double *x) const {
    Corners found;
    std::int64_t index[3];
    for (int d = 0; d < 3; ++d) {
      const double place = x[d] * per_length_[d] - shift_;
      const double low = std::fmin(std::floor(place), static_cast<double>(block_.global(d) - 1));
      found.above[d] = place - low;
      index[d] = static_cast<std::int64_t>(low) - block_.start(d);
    }
    found.low = block_.cell(index[0], index[1], index[2]);
    found.weigh();
    return found;
  }
  /// The cell of the whole grid in which a place is.
  Int3 cell_of(const double *x) const {
    Int3 cell;
    for (std::size_t d = 0; d < 3; ++d)
      cell[d] = static_cast<std::int64_t>(
          std::fmin(std::floor(x[d] * per_length_[d]), static_cast<double>(block_.global(static_cast<int>(d)) - 1)));
    return cell;
  }

  std::size_t offset[8];  ///< cells from corner 0

 private:
  const Block &block_;
  double shift_;
  double per_length_[3];
};

}  // namespace pic
