// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/race.hpp"

#include "bench/frame/sampled.hpp"

#include <algorithm>
#include <numeric>

namespace bench {

Race::Race(Problem &problem, Contenders &contenders, const HaloOptions &options, MPI_Comm comm)
    : problem_(problem), contenders_(contenders), options_(options), comm_(comm), order_(options.seed) {
  delays_.seed(options.seed * 1000003 + static_cast<std::uint64_t>(rank_of(comm)));
  for (const auto &contender : contenders) series_.push_back({contender->name(), "", "", contender->swaps(), 0, 1, {}});
}

/// Computes for a random time, as an unbalanced solver would.
void Race::be_late() {
  if (options_.skew_us <= 0) return;
  const double until = MPI_Wtime() + std::uniform_real_distribution<double>(0, options_.skew_us * 1e-6)(delays_);
  while (MPI_Wtime() < until) continue;
}

// ---- verification

std::optional<std::string> Race::verify_once(std::size_t contender) {
  problem_.fill(++step_);
  contenders_[contender]->load();
  be_late();
  contenders_[contender]->swap();
  contenders_[contender]->unload();
  const Verdict verdict = problem_.verify(step_);
  series_[contender].verified_cells += sum_of(verdict.cells, comm_);
  const auto wrong = first_said(verdict.wrong, comm_);
  return wrong ? std::optional("mode " + contenders_[contender]->name() + ", " + *wrong) : std::nullopt;
}

std::optional<std::string> Race::verify(int swaps, const Progress &progress) {
  for (std::size_t c = 0; c < contenders_.size(); ++c) {
    if (!contenders_[c]->swaps()) continue;
    progress("verifying " + contenders_[c]->name(), static_cast<int>(c), static_cast<int>(contenders_.size()));
    for (int i = 0; i < swaps; ++i)
      if (auto wrong = verify_once(c)) return wrong;
  }
  return std::nullopt;
}

// ---- samples

void Race::run(Handover &handover, const Progress &progress) {
  for (std::size_t c = 0; c < contenders_.size(); ++c) choose_repeats(c);
  std::vector<std::size_t> order(contenders_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int round = 0; round < options_.repetitions; ++round) {
    progress("measuring, round", round + 1, options_.repetitions);
    std::shuffle(order.begin(), order.end(), order_);
    for (std::size_t c : order) {
      series_[c].samples_us.push_back(sample(c, series_[c].repeats));
      adapt_repeats(c, series_[c].samples_us.back());
    }
    handover_us_.push_back(slowest(handover.measure(), comm_));
  }
  for (std::size_t c = 0; c < contenders_.size(); ++c) series_[c].mode = contenders_[c]->mode(), series_[c].route = contenders_[c]->route();
}

/// As many swaps as make a sample about as long as asked for; the same on all ranks, since all know the slowest.
int Race::repeats_for(double us) const { return bench::repeats_for(us, options_, 1, 1e6); }

/// A first guess, by the middle of three tries. What takes longer than a sample is tried once.
void Race::choose_repeats(std::size_t contender) {
  double us = sample(contender, 1);
  if (repeats_for(us) > 1) us = median({us, sample(contender, 2), sample(contender, 2)});
  series_[contender].repeats = repeats_for(us);
}

/// Follows what the last sample needed, in small steps: a busy machine may slow a swap a thousandfold from one round to the next.
void Race::adapt_repeats(std::size_t contender, double us) {
  int &repeats = series_[contender].repeats;
  repeats = std::clamp(repeats_for(us), std::max(1, repeats / 8), 2 * repeats);
}

/// Microseconds per swap on the slowest rank. One swap runs off the clock, so that every contender meets the caches it leaves itself.
double Race::sample(std::size_t contender, int repeats) {
  Contender &c = *contenders_[contender];
  c.swap();
  c.change_edge(Edge::stamp, ++step_);
  meet(comm_);
  const bool together = options_.edge == Edge::stamp && options_.skew_us <= 0;
  const double seconds = together ? seconds_together(c, repeats) : seconds_apart(c, repeats);
  return slowest(seconds, comm_) / repeats * 1e6;
}

double Race::seconds_together(Contender &contender, int repeats) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < repeats; ++i) contender.swap();
  return MPI_Wtime() - begin;
}

/// Swaps with the solver's work between them; only the swaps are on the clock.
double Race::seconds_apart(Contender &contender, int repeats) {
  double seconds = 0;
  for (int i = 0; i < repeats; ++i) {
    if (options_.edge == Edge::rewrite) contender.change_edge(Edge::rewrite, ++step_);
    be_late();
    const double begin = MPI_Wtime();
    contender.swap();
    seconds += MPI_Wtime() - begin;
  }
  return seconds;
}

}  // namespace bench
