// The staggered Dirac operator without its mass term, from the sites of one parity to those of the other:
//
//   (D f)(x) = sum over d of eta_d(x) / 2 (c1 (U_d(x) f(x + d) - U_d(x - d)^+ f(x - d)) + c3 (the same over three links))
//
// c1 = 1 and c3 = 0, or with Naik's term c1 = 9/8 and c3 = -1/24. eta_d(x) = (-1)^(coordinates before d). In time the field is
// antiperiodic.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gauge.hpp"

#include <vector>

namespace lattice {

/// Seconds of a rank.
struct Times {
  double total = 0;
  double dslash = 0;  ///< computing D
  double swap = 0;  ///< in start and finish of swaps
  double dots = 0;  ///< sums over all ranks
};

/// A term of D at a site: its dimension and signed length.
struct Hop {
  int dim, steps;
};
/// In the order in which terms are added: the same at all sites, so results do not depend on the decomposition.
std::vector<Hop> hops(bool naik);

/// The matrices of all terms, signs and factors included; by parity of x, for each site one per hop.
template <class R>
struct Terms {
  std::vector<Hop> hops;
  std::array<std::vector<Matrix<R>>, 2> matrices;
};
/// Collective.
template <class R>
Terms<R> make_terms(const Setup &setup, const GaugeField &gauge, bool naik);

template <class R>
class Dslash {
 public:
  /// The gather's entries are Vector<R>. Both and the terms must outlive it.
  Dslash(const Geometry &geometry, const Terms<R> &terms, Gather &gather);

  /// Where the next field of this parity is written before it is swapped. The one before it stays until the next has been applied.
  Vector<R> *next(int parity) { return gather_.array<Vector<R>>({parity, turns_[parity]}); }
  /// D of the field in next(parity), to the sites of the other parity. Sites with all neighbours on this rank are computed during the swap.
  /// Those whose neighbours are sent are the first: once others have read these, this core's caches do not have them any more.
  /// Then next(parity) is the other array. Collective over neighbours.
  void apply(int parity, Vector<R> *to, Times &times);
  const Geometry &geometry() const { return geometry_; }

 private:
  using Numbers = std::vector<std::int32_t>;
  struct Sites {
    Numbers sent;  ///< with all neighbours on this rank, of which other ranks read some
    Numbers inner;  ///< with all neighbours on this rank, which no other rank reads
    Numbers outer;  ///< all others
  };
  void find_places(Slot slot);
  void sort_sites(int parity);
  void compute(const Numbers &sites, Slot from, Vector<R> *to, Ahead &ahead) const;

  const Geometry &geometry_;
  const Terms<R> &terms_;
  Gather &gather_;
  std::array<int, 2> turns_{};
  std::array<std::vector<Place>, kSlots> places_;  ///< for each site of the other parity, of each term
  std::array<Sites, 2> sites_;  ///< by their own parity
};

}  // namespace lattice
