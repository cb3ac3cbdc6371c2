// Samples of a contender, what is drawn from them, and how those of several contenders are taken in turn.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/common_options.hpp"
#include "bench/frame/shared.hpp"

#include <common/json.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace bench {

/// Samples, one per round, and what is drawn from them. Times are in microseconds where nothing else is said.
struct Sampled {
  std::string name{};
  std::vector<double> samples{};
  double median = 0, p10 = 0, p90 = 0;

  /// Draws the numbers from the samples.
  void conclude();
};

/// "10th - 90th percentile".
std::string spread_of(const Sampled &sampled);
/// The numbers and the samples; their keys end in `unit`.
Json json_of(const Sampled &sampled, const std::string &unit = "_us");

/// How many operations of `us` microseconds make a sample about as long as asked for.
int repeats_for(double us, const CommonOptions &options, double least, double most);

/// Calls visit(k) once per round for each k below `contenders`, in shuffled order.
template <class Visit>
void in_rounds(std::size_t contenders, int rounds, std::mt19937_64 &random, Visit visit) {
  std::vector<std::size_t> order(contenders);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t k : order) visit(k);
  }
}

/// Microseconds of a call on the slowest rank; all begin together. Before each call `prepare` runs, off the clock. One call more is not counted.
template <class Prepare, class Call>
double time_prepared(MPI_Comm comm, int count, Prepare prepare, Call call) {
  meet(comm);
  double seconds = 0;
  for (int i = -1; i < count; ++i) {
    prepare(i);
    const double begin = MPI_Wtime();
    call();
    if (i >= 0) seconds += MPI_Wtime() - begin;
  }
  return slowest(seconds / count * 1e6, comm);
}

/// Samples of contenders, of each one per round. sample(k, repeats) returns what one operation took in so many, which follow the last sample.
template <class Sample>
std::vector<std::vector<double>> sample_in_turn(std::size_t contenders, const CommonOptions &options, std::mt19937_64 &random,
                                                Sample sample) {
  constexpr double kMax = 1e5;
  std::vector<std::vector<double>> samples(contenders);
  std::vector<int> repeats;
  for (std::size_t k = 0; k < contenders; ++k) repeats.push_back(repeats_for(std::max(sample(k, 1), sample(k, 1)), options, 1, kMax));
  in_rounds(contenders, options.repetitions, random, [&](std::size_t k) {
    samples[k].push_back(sample(k, repeats[k]));
    repeats[k] = std::min(2 * repeats[k], repeats_for(samples[k].back(), options, 1, kMax));
  });
  return samples;
}

}  // namespace bench
