// The gauge field: four links per site, in double precision, with those around the block.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gather.hpp"
#include "random.hpp"

#include <array>
#include <functional>

namespace lattice {

/// The links from a site to the next ones along x, y, z and t.
using Links4 = std::array<Matrix<double>, kDims>;

class GaugeField {
 public:
  /// setup.entry_bytes is ignored. Collective.
  explicit GaugeField(const Setup &setup);

  const Geometry &geometry() const { return geometry_; }
  /// Sets the links of each site of the block, given its coordinates there, and fetches those around it. Collective.
  void set(const std::function<Links4(const Site &)> &links);
  /// The links of a site, which may be up to the geometry's depth beyond one side.
  const Links4 &at(const Site &site) const;

 private:
  const Geometry &geometry_;
  std::unique_ptr<Gather> gather_;
};

/// What describes a field: means over all sites. Collective.
double plaquette(const GaugeField &field);   ///< real trace of the product around a square, over 3
double link_trace(const GaugeField &field);  ///< real trace of a link, over 3
/// How far any link is from SU(3). Collective.
double deviation(const GaugeField &field);

Links4 random_links(std::uint64_t seed, double disorder, std::int64_t global_number);
/// The matrix g of a random gauge transformation at a site.
Matrix<double> transformation(std::uint64_t seed, std::int64_t global_number);
/// The field after it: g(x) U(x) g(x + 1)^+. Collective.
void transform(GaugeField &to, const GaugeField &from, std::uint64_t seed);

/// Products of three links in a row: from a site to its third neighbours. Collective.
void join_threes(GaugeField &to, const GaugeField &from);

}  // namespace lattice
