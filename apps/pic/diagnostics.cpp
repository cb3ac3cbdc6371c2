// SPDX-License-Identifier: BSD-3-Clause
#include "diagnostics.hpp"

#include <cstring>
#include <numbers>

namespace pic {
namespace {

std::uint64_t mixed(std::uint64_t hash) {
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

std::uint64_t hash_of(std::uint64_t hash, const double *numbers, int count) {
  for (int i = 0; i < count; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, numbers + i, sizeof bits);
    hash = mixed(hash * 0x9e3779b97f4a7c15 + bits);
  }
  return hash;
}

std::uint64_t number_of(const Block &block, std::int64_t i, std::int64_t j, std::int64_t k) {
  return static_cast<std::uint64_t>(((block.start(0) + i) * block.global(1) + block.start(1) + j) * block.global(2) + block.start(2) + k);
}

/// 2 energies, 6 parts of the mode.
void add_fields(const Model &model, std::vector<ExactSum> &sums) {
  const Block &block = model.block();
  for_own(block, [&](std::size_t cell, auto, std::int64_t i, std::int64_t j, std::int64_t k) {
    const double *e = model.state().electric.at(cell), *b = model.state().magnetic.at(cell);
    const std::int64_t index[3] = {block.start(0) + i, block.start(1) + j, block.start(2) + k};
    double phase = 0;
    for (int d = 0; d < 3; ++d) {
      const std::int64_t mode = model.options().mode[static_cast<std::size_t>(d)];
      phase += 2 * std::numbers::pi * static_cast<double>(mode * index[d] % block.global(d)) / static_cast<double>(block.global(d));
    }
    for (std::size_t c = 0; c < 3; ++c) {
      sums[0].add(e[c] * e[c]);
      sums[1].add(b[c] * b[c]);
      sums[2 + c].add(e[c] * std::cos(phase));
      sums[5 + c].add(e[c] * std::sin(phase));
    }
  });
}

/// For each species charge, energy and momentum.
void add_species(const Species &species, std::vector<ExactSum> &sums) {
  ExactSum charge, energy, momentum[3];
  for (const Particle &p : species.particles) {
    const double mass = p.charge / species.charge_to_mass;
    charge.add(p.charge);
    energy.add(0.5 * mass * (p.v[0] * p.v[0] + p.v[1] * p.v[1] + p.v[2] * p.v[2]));
    for (int c = 0; c < 3; ++c) momentum[c].add(mass * p.v[c]);
  }
  sums.insert(sums.end(), {charge, energy, momentum[0], momentum[1], momentum[2]});
}

}  // namespace

double Diagnosis::energy() const {
  double sum = electric + magnetic;
  for (const double some : kinetic) sum += some;
  return sum;
}

Diagnosis diagnose(Model &model) {
  std::vector<ExactSum> mine(8);
  add_fields(model, mine);
  for (const Species &species : model.state().species) add_species(species, mine);
  const std::vector<double> all = model.sums().all(mine);
  Diagnosis found;
  found.electric = 0.5 * all[0] * model.block().volume();
  found.magnetic = 0.5 * all[1] * model.block().volume();
  for (std::size_t c = 0; c < 3; ++c) {
    found.cosine[c] = 2 * all[2 + c] / static_cast<double>(model.block().global_cells());
    found.sine[c] = 2 * all[5 + c] / static_cast<double>(model.block().global_cells());
  }
  for (std::size_t s = 0; s < model.state().species.size(); ++s) {
    const double *sums = all.data() + 8 + 5 * s;
    found.charge.push_back(sums[0]);
    found.kinetic.push_back(sums[1]);
    for (int c = 0; c < 3; ++c) found.momentum[c] += sums[2 + c];
  }
  for (const Species &species : model.state().species) found.particles += static_cast<std::int64_t>(species.particles.size());
  MPI_Allreduce(MPI_IN_PLACE, &found.particles, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return found;
}

std::uint64_t fingerprint(const Model &model) {
  const Block &block = model.block();
  std::uint64_t sum = 0;
  for_own(block, [&](std::size_t cell, auto, std::int64_t i, std::int64_t j, std::int64_t k) {
    const std::uint64_t place = number_of(block, i, j, k);
    sum += hash_of(hash_of(mixed(place + 1), model.state().electric.at(cell), 3), model.state().magnetic.at(cell), 3);
  });
  for (std::size_t s = 0; s < model.state().species.size(); ++s)
    for (const Particle &p : model.state().species[s].particles)
      sum += hash_of(hash_of(hash_of(mixed(p.id * 2 + s * 0x100000001b3 + 7), p.x, 3), p.v, 3), &p.charge, 1);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

}  // namespace pic
