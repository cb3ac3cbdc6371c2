// SPDX-License-Identifier: BSD-3-Clause
#include "dslash.hpp"

#include <algorithm>

namespace lattice {
namespace {

double factor_of(const Hop &hop, bool naik) {
  const double share = std::abs(hop.steps) == 3 ? -1.0 / 24 : naik ? 9.0 / 8 : 1.0;
  return hop.steps > 0 ? share / 2 : -share / 2;
}

/// eta_d(x), and a minus sign where the hop crosses the end of time.
double sign_of(const Hop &hop, const Site &x, const Site &extents) {
  std::int64_t before = 0;
  for (int d = 0; d < hop.dim; ++d) before += x[d];
  const std::int64_t time = x[3] + (hop.dim == 3 ? hop.steps : 0);
  return (before % 2 == 0) == (time >= 0 && time < extents[3]) ? 1 : -1;
}

}  // namespace

std::vector<Hop> hops(bool naik) {
  std::vector<Hop> all;
  for (const int length : {1, 3})
    for (int d = 0; d < kDims && (length == 1 || naik); ++d)
      for (const int steps : {length, -length}) all.push_back({d, steps});
  return all;
}

template <class R>
Terms<R> make_terms(const Setup &setup, const GaugeField &gauge, bool naik) {
  const Geometry &geometry = gauge.geometry();
  GaugeField threes(setup);
  if (naik) join_threes(threes, gauge);
  Terms<R> terms{hops(naik), {}};
  for (int parity = 0; parity < 2; ++parity)
    for (std::int64_t i = 0; i < geometry.half(); ++i)
      for (const Hop &hop : terms.hops) {
        const Site &x = geometry.site(parity, i);
        const GaugeField &links = std::abs(hop.steps) == 3 ? threes : gauge;
        Site from = x;
        if (hop.steps < 0) from[hop.dim] += hop.steps;
        const Matrix<double> &link = links.at(from)[hop.dim];
        const double factor = factor_of(hop, naik) * sign_of(hop, geometry.block().global_of(x), geometry.block().global);
        terms.matrices[parity].push_back(scaled<R>(hop.steps > 0 ? link : adjoint(link), factor));
      }
  return terms;
}

template <class R>
Dslash<R>::Dslash(const Geometry &geometry, const Terms<R> &terms, Gather &gather) : geometry_(geometry), terms_(terms), gather_(gather) {
  for (int parity = 0; parity < 2; ++parity)
    for (int turn = 0; turn < 2; ++turn) find_places({parity, turn});
  for (int parity = 0; parity < 2; ++parity) sort_sites(parity);
}

template <class R>
void Dslash<R>::sort_sites(int parity) {
  std::vector<bool> is_sent(static_cast<std::size_t>(geometry_.half()));
  for (const Side &side : geometry_.sides())
    for (const std::int64_t site : side.out[1 - parity]) is_sent[static_cast<std::size_t>(site)] = true;
  const std::size_t count = terms_.hops.size();
  const Place *place = places_[Slot{1 - parity, 0}.number()].data();
  for (std::int32_t i = 0; i < geometry_.half(); ++i, place += count) {
    const bool is_inner = std::all_of(place, place + count, [](const Place &p) { return p.source == 0; });
    const bool has_sent =
        is_inner && std::any_of(place, place + count, [&](const Place &p) { return is_sent[static_cast<std::size_t>(p.entry)]; });
    Sites &sites = sites_[parity];
    (!is_inner ? sites.outer : has_sent ? sites.sent : sites.inner).push_back(i);
  }
}

template <class R>
void Dslash<R>::find_places(Slot slot) {
  const int to = 1 - slot.parity;
  for (std::int64_t i = 0; i < geometry_.half(); ++i)
    for (const Hop &hop : terms_.hops) {
      Site site = geometry_.site(to, i);
      site[hop.dim] += hop.steps;
      Place place = geometry_.place(site);
      if (place.source > 0) place.entry = gather_.entry(slot, static_cast<std::size_t>(place.source) - 1, place.entry);
      places_[slot.number()].push_back(place);
    }
}

template <class R>
void Dslash<R>::compute(const Numbers &sites, Slot from, Vector<R> *to, Ahead &ahead) const {
  const Vector<R> *sources[kSides + 1] = {gather_.array<Vector<R>>(from)};
  for (std::size_t side = 0; side < geometry_.sides().size(); ++side)
    sources[side + 1] = reinterpret_cast<const Vector<R> *>(gather_.data(from, side));
  const std::size_t count = terms_.hops.size();
  const Place *places = places_[from.number()].data();
  const Matrix<R> *matrices = terms_.matrices[1 - from.parity].data();
  for (const std::int32_t site : sites) {
    ahead.step();
    const std::size_t first = static_cast<std::size_t>(site) * count;
    Vector<R> sum;
    for (std::size_t k = first; k < first + count; ++k) add_product(sum, matrices[k], sources[places[k].source][places[k].entry]);
    to[site] = sum;
  }
}

template <class R>
void Dslash<R>::apply(int parity, Vector<R> *to, Times &times) {
  const Slot slot{parity, turns_[parity]};
  const Sites &sites = sites_[1 - parity];
  const double begin = MPI_Wtime();
  gather_.start(slot);
  const double started = MPI_Wtime();
  Ahead ahead;
  compute(sites.sent, slot, to, ahead);
  if (const CacheLines *lines = gather_.look(slot)) ahead = Ahead(*lines, sites.inner.size());
  compute(sites.inner, slot, to, ahead);
  const double computed = MPI_Wtime();
  gather_.finish(slot);
  const double finished = MPI_Wtime();
  compute(sites.outer, slot, to, ahead);
  times.swap += started - begin + finished - computed;
  times.dslash += computed - started + MPI_Wtime() - finished;
  turns_[parity] = 1 - turns_[parity];
}

template Terms<float> make_terms<float>(const Setup &, const GaugeField &, bool);
template Terms<double> make_terms<double>(const Setup &, const GaugeField &, bool);
template class Dslash<float>;
template class Dslash<double>;

}  // namespace lattice
