// The application motifs of the SC13 paper of Gerstenberger et al.: hashtable, dynamic sparse data exchange, 3-D FFT.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "experiments.hpp"
#include "findings.hpp"
#include "random.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace simulate {

namespace {

constexpr int kTargets = 6, kInserts = 64;
constexpr int kMaxMotifRanks = 32768, kLeastMotifRanks = 64, kBeyondMotifRanks = 65536;
/// Of the FFT: each rank has parts for all ranks of its row or column, so that the messages grow as p sqrt(p).
constexpr int kMaxFftRanks = 4096;
constexpr double kCount = 4, kItem = 8;

/// Everyone sends an item to some random ranks, which do not know of it.
class Sparse {
 public:
  Sparse(int ranks, std::uint64_t seed) : targets_(static_cast<std::size_t>(ranks)), arriving_(static_cast<std::size_t>(ranks), 0) {
    for (int rank = 0; rank < ranks; ++rank)
      for (int i = 0; i < kTargets; ++i) {
        const auto other = static_cast<int>(random_of(seed, rank, i) % static_cast<std::uint64_t>(ranks - 1));
        targets_[static_cast<std::size_t>(rank)].push_back((rank + 1 + other) % ranks);
        arriving_[static_cast<std::size_t>(targets_[static_cast<std::size_t>(rank)].back())] += 1;
      }
  }
  const std::vector<int> &targets(int rank) const { return targets_[static_cast<std::size_t>(rank)]; }
  int arriving(int rank) const { return arriving_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::vector<int>> targets_;
  std::vector<int> arriving_;
};

/// A part of a collective: so many bytes to a rank.
void give(Writer &w, int to, double bytes, Flag flag) {
  const Node &node = w.machine().node;
  const double copy_us = w.machine().message_copy_us(bytes);
  w.script().work(node.message_us + (w.near(to) ? copy_us : w.machine().network.overhead_us));
  w.script().send({to, flag, bytes, 0, kNone, Way::put, node.message_us + copy_us});
}

/// So many bytes from a rank.
void get(Writer &w, double bytes, Flag flag) {
  w.script().wait(flag, 1);
  w.copy(bytes);
}

/// A round of a collective: so many bytes to one rank, and from another.
void trade(Writer &w, int to, double bytes, Flag flag) {
  give(w, to, bytes, flag);
  get(w, bytes, flag);
}

void send_items(Writer &w, const Sparse &sparse) {
  for (const int target : sparse.targets(w.rank())) w.message(target, kItem, 0);
  w.script().take(kData, sparse.arriving(w.rank()));
}

/// MPI_Alltoall of the counts, as Bruck et al. have it for short blocks: log2(p) rounds of p / 2 counts.
void by_alltoall(Writer &w, const Sparse &sparse) {
  for (int round = 0; round < Writer::barrier_rounds(w.ranks()); ++round)
    trade(w, (w.rank() + (1 << round)) % w.ranks(), kCount * w.ranks() / 2, static_cast<Flag>(kBarrier + round));
  send_items(w, sparse);
}

/// The ranks that halve: a power of two. Each of the first ranks beyond that has a partner, the next rank, which halves for both.
struct Halving {
  int rounds = 0, partners = 0;

  explicit Halving(int ranks) {
    while (2 << rounds <= ranks) ++rounds;
    partners = ranks - (1 << rounds);
  }
  int place_of(int rank) const { return rank < 2 * partners ? rank / 2 : rank - partners; }
  int rank_at(int place) const { return place < partners ? 2 * place + 1 : place + partners; }
};

/// MPI_Reduce_scatter of the counts by recursive halving. Source: Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in
/// MPICH, IJHPCA 2005.
void by_reduce_scatter(Writer &w, const Sparse &sparse) {
  const Halving halving(w.ranks());
  const auto partner_flag = static_cast<Flag>(kBarrier + halving.rounds);
  const bool has_partner = w.rank() < 2 * halving.partners, halves = !has_partner || w.rank() % 2 == 1;
  if (!halves) {
    give(w, w.rank() + 1, kCount * w.ranks(), partner_flag);
    get(w, kCount, partner_flag);
    return send_items(w, sparse);
  }
  if (has_partner) get(w, kCount * w.ranks(), partner_flag);
  double counts = w.ranks() / 2.0;
  for (int round = 0; round < halving.rounds; ++round, counts /= 2)
    trade(w, halving.rank_at(halving.place_of(w.rank()) ^ (1 << round)), kCount * std::max(counts, 1.0),
          static_cast<Flag>(kBarrier + round));
  if (has_partner) give(w, w.rank() - 1, kCount, partner_flag);
  send_items(w, sparse);
}

/// Synchronous messages, then a barrier that says that all have been received.
void by_nbx(Writer &w, const Sparse &sparse) {
  for (const int target : sparse.targets(w.rank())) {
    const Node &node = w.machine().node;
    w.script().work(node.message_us + (w.near(target) ? 0 : w.machine().network.overhead_us));
    w.script().send({target, kData, kItem, node.message_us, kAcknowledged});
  }
  w.script().take(kData, sparse.arriving(w.rank()));
  w.script().wait(kAcknowledged, kTargets);
  w.barrier();
}

/// A fetch_and_add reserves the place, a put fills it, a fence ends it.
void by_rma(Writer &w, const Sparse &sparse) {
  int far = 0;
  for (const int target : sparse.targets(w.rank())) {
    w.atomic(target);
    far += w.put(target, kItem) ? 1 : 0;
  }
  w.flush(far);
  w.barrier();
}

Figure sparse_exchange(const Settings &settings, const std::vector<int> &ranks) {
  const std::pair<const char *, void (*)(Writer &, const Sparse &)> protocols[] = {
      {"alltoall", by_alltoall}, {"reduce_scatter", by_reduce_scatter}, {"nbx", by_nbx}, {"rma", by_rma}};
  Figure figure{"sparse", "Sparse exchange, 6 random neighbours", "ranks", "us", "SC13: figure 7b"};
  const Machine machine = settings.machine("bluewaters");
  for (const auto &[name, write] : protocols) {
    Series series{name, Origin::simulated, {}};
    for (const int some : ranks) {
      const Sparse sparse(some, settings.rounds.seed);
      const Job job = timed_job(machine, some, [&sparse, write = write](Writer &w) { write(w, sparse); });
      series.points.push_back({1.0 * some, simulate::run(job, machine, settings.rounds).worst_us});
    }
    figure.series.push_back(series);
  }
  figure.findings = {nbx_beats_alltoall(figure)};
  add_modelled(figure, {1.0 * ranks.back() * 2, kBeyondMotifRanks}, machine.network.ranks_per_node);
  return figure;
}

// The hashtable.

/// A compare and swap at the owner of each key, one after the other. A part of them finds the place taken and chains an element.
void insert_by_atomics(Writer &w, std::uint64_t seed) {
  for (int i = 0; i < kInserts; ++i) {
    const std::uint64_t key = random_of(seed, w.rank(), i);
    const auto owner = static_cast<int>(key % static_cast<std::uint64_t>(w.ranks()));
    w.atomic(owner);
    // Half of the table is full in the end, so that a quarter of the inserts, on average, find their place taken.
    if ((key >> 40) % 4 != 0) continue;
    w.atomic(owner);
    w.atomic(owner);
  }
}

/// A message to the owner of each key, which inserts it; a barrier ends it.
void insert_by_messages(Writer &w, std::uint64_t, const std::vector<int> &arriving, const std::vector<int> &owners) {
  for (const int owner : owners) w.message(owner, kItem, 0);
  w.script().take(kData, arriving[static_cast<std::size_t>(w.rank())]);
  w.barrier();
}

std::vector<int> owners_of(int rank, int ranks, std::uint64_t seed) {
  std::vector<int> owners;
  for (int i = 0; i < kInserts; ++i) owners.push_back(static_cast<int>(random_of(seed, rank, i) % static_cast<std::uint64_t>(ranks)));
  return owners;
}

Job hashtable_job(const Machine &machine, int ranks, std::uint64_t seed, bool atomics) {
  std::vector<int> arriving(static_cast<std::size_t>(ranks), 0);
  for (int rank = 0; rank < ranks; ++rank)
    for (const int owner : owners_of(rank, ranks, seed)) arriving[static_cast<std::size_t>(owner)] += 1;
  return timed_job(machine, ranks, [&](Writer &w) {
    if (atomics)
      insert_by_atomics(w, seed);
    else
      insert_by_messages(w, seed, arriving, owners_of(w.rank(), ranks, seed));
  });
}

Figure hashtable(const Settings &settings, const std::vector<int> &ranks) {
  Figure figure{"hashtable", "Hashtable, 64 inserts of each rank", "ranks", "million inserts per second", "SC13: figure 7a"};
  const Machine machine = settings.machine("bluewaters");
  for (const bool atomics : {true, false}) {
    Series series{atomics ? "atomics" : "messages", Origin::simulated, {}};
    for (const int some : ranks) {
      const double us = simulate::run(hashtable_job(machine, some, settings.rounds.seed, atomics), machine, {0, 1, 1}).round_us;
      series.points.push_back({1.0 * some, kInserts * some / us});
    }
    figure.series.push_back(series);
  }
  figure.findings = {inserts_scale(figure), atomics_beat_messages(figure)};
  return figure;
}

// The FFT.

/// NAS FT, class D. A rank owns columns; a transposition is among the ranks of its row of a square grid.
constexpr double kPoints = 2048.0 * 1024 * 1024, kComplex = 16;
constexpr int kPlanes = 4;

/// Ranks among which columns are transposed: so many from the first on, each `stride` after the one before.
struct Team {
  int first = 0, size = 1, stride = 1;
  int after(int rank, int steps) const { return first + ((rank - first) / stride + steps) % size * stride; }
};

/// The grid of ranks is as square as powers of two allow. Its rows are consecutive ranks, so that they are near; ranks of a column are far.
Team row_of(int rank, int ranks) {
  const int size = 1 << (Writer::barrier_rounds(ranks) / 2);
  return {rank / size * size, size, 1};
}
Team column_of(int rank, int ranks) {
  const int row = row_of(rank, ranks).size;
  return {rank % row, ranks / row, row};
}

/// A rank's part of one of the two transpositions. A pass over its points reads and writes each of them log2(n) / 3 times, as a transform of radix 8
/// does; half of that is before each transposition.
struct Share {
  double bytes = 0, compute_us = 0;
  Share(int ranks, const Machine &machine)
      : bytes(kPoints / ranks * kComplex), compute_us(machine.copy_us(bytes) * std::log2(kPoints) / 3 / 2) {}
};

/// Computes in parts, and sends each part as soon as it is there. With one part communication begins when all is computed.
void transpose(Writer &w, const Team &team, const Transposition &how) {
  const Share share(w.ranks(), w.machine());
  const double bytes = share.bytes / team.size / how.parts;
  int far = 0;
  for (int part = 0; part < how.parts; ++part) {
    w.script().work(share.compute_us / how.parts);
    for (int i = 1; i < team.size; ++i) {
      const int peer = team.after(w.rank(), i);
      far += (how.puts ? w.put(peer, bytes) : w.message(peer, bytes, 0)) ? 1 : 0;
    }
  }
  if (how.puts) {
    w.flush(far);
    for (int i = 1; i < team.size; ++i) w.signal(team.after(w.rank(), i), kCompleted);
    return w.script().wait(kCompleted, team.size - 1);
  }
  w.script().take(kData, how.parts * (team.size - 1));
  w.script().wait(kSent, far);
}

double transposition_us(const Machine &machine, int ranks, const Transposition &how, Team (*team_of)(int, int)) {
  const Job job = timed_job(machine, ranks, [&](Writer &w) { transpose(w, team_of(w.rank(), ranks), how); });
  return simulate::run(job, machine, {1, 1, 1}).round_us;
}

/// All ranks of a row have ended the first transposition before the second begins.
double transform_us(const Machine &machine, int ranks, const Transposition &how) {
  return transposition_us(machine, ranks, how, row_of) + transposition_us(machine, ranks, how, column_of);
}

}  // namespace

Figure fft_figure(const Settings &settings, const std::vector<Transposition> &variants, const std::vector<int> &ranks) {
  Figure figure{"fft", "3-D FFT, 2048 x 1024 x 1024", "ranks", "GFlop/s", "Gerstenberger et al., figure 5; SC13: 7c"};
  const Machine machine = settings.machine("bluewaters");
  const double gigaflop = 5 * kPoints * std::log2(kPoints) / 1e9;
  for (const Transposition &one : variants) {
    Series series{one.name, Origin::simulated, {}};
    for (const int some : ranks) series.points.push_back({1.0 * some, gigaflop / (transform_us(machine, some, one) / 1e6)});
    figure.series.push_back(series);
  }
  return figure;
}

std::vector<Figure> motifs(const Settings &settings) {
  const int most = std::min(settings.most_ranks, kMaxMotifRanks);
  const std::vector<int> ranks = growing(std::min(kLeastMotifRanks, most), most);
  Figure fft = fft_figure(settings, {{"messages", 1, false}, {"puts, overlapped", kPlanes, true}},
                          growing(kLeastMotifRanks, std::clamp(most, kLeastMotifRanks, kMaxFftRanks)));
  fft.findings = {overlap_pays(fft)};
  return {hashtable(settings, ranks), sparse_exchange(settings, ranks), fft};
}

}  // namespace simulate
