// SPDX-License-Identifier: BSD-3-Clause
#include "gauge.hpp"

#include <common/comm.hpp>

namespace lattice {
namespace {

Site moved(Site site, int dim, int steps) {
  site[dim] += steps;
  return site;
}

double mean_of(const GaugeField &field, const std::function<double(const Site &)> &value) {
  double sum = 0;
  for_sites({}, field.geometry().block().local, [&](const Site &site) { sum += value(site); });
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / static_cast<double>(volume(field.geometry().block().global));
}

Setup with_links(Setup setup) {
  setup.entry_bytes = sizeof(Links4);
  return setup;
}

}  // namespace

GaugeField::GaugeField(const Setup &setup) : geometry_(setup.geometry), gather_(make_messages(with_links(setup))) {}

void GaugeField::set(const std::function<Links4(const Site &)> &links) {
  for (int parity = 0; parity < 2; ++parity) {
    const Slot slot{parity, 0};
    Links4 *array = gather_->array<Links4>(slot);
    for (std::int64_t i = 0; i < geometry_.half(); ++i) array[i] = links(geometry_.site(parity, i));
    gather_->start(slot);
    gather_->finish(slot);
  }
}

const Links4 &GaugeField::at(const Site &site) const {
  const Slot slot{parity_of(site), 0};
  const Place place = geometry_.place(site);
  if (place.source == 0) return gather_->array<Links4>(slot)[place.entry];
  const std::size_t side = static_cast<std::size_t>(place.source) - 1;
  return reinterpret_cast<const Links4 *>(gather_->data(slot, side))[gather_->entry(slot, side, place.entry)];
}

double plaquette(const GaugeField &field) {
  constexpr double planes = 6;
  return mean_of(field, [&](const Site &x) {
    double sum = 0;
    for (int mu = 0; mu < kDims; ++mu)
      for (int nu = mu + 1; nu < kDims; ++nu)
        sum += trace(field.at(x)[mu] * field.at(moved(x, mu, 1))[nu] * adjoint(field.at(x)[nu] * field.at(moved(x, nu, 1))[mu]));
    return sum / (3 * planes);
  });
}

double link_trace(const GaugeField &field) {
  return mean_of(field, [&](const Site &x) {
    double sum = 0;
    for (const Matrix<double> &link : field.at(x)) sum += trace(link);
    return sum / (3 * kDims);
  });
}

double deviation(const GaugeField &field) {
  double most = 0;
  for_sites({}, field.geometry().block().local, [&](const Site &x) {
    for (const Matrix<double> &link : field.at(x)) most = std::max(most, deviation(link));
  });
  return common::slowest(most, MPI_COMM_WORLD);
}

Links4 random_links(std::uint64_t seed, double disorder, std::int64_t global_number) {
  Links4 links;
  for (int mu = 0; mu < kDims; ++mu) links[mu] = random_su3({seed, Purpose::link, global_number, mu}, disorder);
  return links;
}

Matrix<double> transformation(std::uint64_t seed, std::int64_t global_number) {
  return random_su3({seed, Purpose::transformation, global_number}, HUGE_VAL);
}

void transform(GaugeField &to, const GaugeField &from, std::uint64_t seed) {
  const Block &block = from.geometry().block();
  const auto g = [&](const Site &site) { return transformation(seed, block.global_number(site)); };
  to.set([&](const Site &x) {
    Links4 links = from.at(x);
    for (int mu = 0; mu < kDims; ++mu) links[mu] = g(x) * links[mu] * adjoint(g(moved(x, mu, 1)));
    return links;
  });
}

void join_threes(GaugeField &to, const GaugeField &from) {
  to.set([&](const Site &x) {
    Links4 links;
    for (int mu = 0; mu < kDims; ++mu) links[mu] = from.at(x)[mu] * from.at(moved(x, mu, 1))[mu] * from.at(moved(x, mu, 2))[mu];
    return links;
  });
}

}  // namespace lattice
