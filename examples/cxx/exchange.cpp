// An exchange with lambdas: particles in a ring of ranks leave to the left and to the right. Each rank sends fixed-size batches with the
// number of particles in front. With two ranks left and right are the same rank, and the tag distinguishes the two entries.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "verdict.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

using halocline::Context, halocline::Exchange, halocline::Neighbour;

constexpr int per_rank = 60, rounds = 6;

/// What one rank may send to a neighbour in one round.
struct Batch {
  std::int64_t count = 0;
  std::int64_t particles[per_rank * 4];
};

/// Where a particle goes in a round: -1 left, 0 nowhere, 1 right.
static int drift(std::int64_t particle, int round) { return static_cast<int>((particle * 7 + round * 5) % 3) - 1; }

/// The rank on which a particle must be after some rounds.
static int expected_rank(std::int64_t particle, int after, int size) {
  std::int64_t rank = particle / per_rank;
  for (int round = 0; round < after; ++round) rank += drift(particle, round) + size;
  return static_cast<int>(rank % size);
}

static std::vector<std::int64_t> expected_particles(int rank, int size, int after) {
  std::vector<std::int64_t> particles;
  for (std::int64_t p = 0; p < static_cast<std::int64_t>(per_rank) * size; ++p)
    if (expected_rank(p, after, size) == rank) particles.push_back(p);
  return particles;
}

/// Moves the particles that leave in a round into a batch per side.
static void sort_out(std::vector<std::int64_t> &mine, Batch leaving[2], int round) {
  leaving[0].count = leaving[1].count = 0;
  std::vector<std::int64_t> staying;
  for (std::int64_t p : mine) {
    const int side = drift(p, round);
    if (side == 0) {
      staying.push_back(p);
      continue;
    }
    Batch &batch = leaving[side > 0];
    if (batch.count == std::int64_t(std::size(batch.particles))) throw std::length_error("a batch is full");
    batch.particles[batch.count++] = p;
  }
  mine = staying;
}

static int particles() {
  Context context(MPI_COMM_WORLD);
  const int rank = context.rank(), size = context.size();
  std::vector<std::int64_t> mine(per_rank);
  std::iota(mine.begin(), mine.end(), std::int64_t(rank) * per_rank);
  Batch leaving[2];

  // Entry 0 faces left and entry 1 right. The other's right entry receives what I send left (tag_out 0, tag_in 0). So opposite sides are
  // joined even on two ranks, where both neighbours are one rank. The same holds on one rank, which is its own neighbour.
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  const std::int64_t bytes = sizeof(Batch);
  const std::vector<Neighbour> neighbours = {{left, 0, 1, bytes, bytes}, {right, 1, 0, bytes, bytes}};
  auto pack = [&](int neighbour, void *buffer) { std::memcpy(buffer, &leaving[neighbour], sizeof(Batch)); };
  bool all_right = true;
  int round = 0;
  auto unpack = [&](int neighbour, const void *buffer) {
    const auto *batch = static_cast<const Batch *>(buffer);
    // Particles from the left have drifted to the right.
    for (std::int64_t i = 0; i < batch->count; ++i) all_right = all_right && drift(batch->particles[i], round) == (neighbour == 0 ? 1 : -1);
    mine.insert(mine.end(), batch->particles, batch->particles + batch->count);
  };
  Exchange exchange(context, neighbours, pack, unpack);

  for (; round < rounds; ++round) {
    sort_out(mine, leaving, round);
    exchange.start();
    exchange.finish();
    std::sort(mine.begin(), mine.end());
    all_right = all_right && mine == expected_particles(rank, size, round + 1);
  }
  return verdict("exchange (C++)", all_right, "every particle is where its drift took it");
}

int main() { return run(particles); }
