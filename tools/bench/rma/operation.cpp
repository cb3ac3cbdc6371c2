// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rma/operation.hpp"

#include <algorithm>

namespace bench {

namespace {

/// A sample takes as long as the options say; the slowest rank's time decides, so that all ranks have the same count.
int count_for(double us, int least, const Operation &operation, const CommonOptions &options) {
  return std::max(least, repeats_for(us, options, 1, operation.most));
}

/// So many times that more of them do not make each faster, unless a sample then takes far longer than was asked for. With more ranks than
/// cores the ranks begin a sample time slices apart, as the host's barrier before it lets them.
int least_count(const Backend &backend, const Operation &operation, const CommonOptions &options) {
  constexpr int kMore = 4, kLongest = 16;
  backend.sample(1);
  if (operation.unit != "us") return operation.most;
  int count = std::min(3, operation.most);
  double us = backend.sample(count);
  while (count * kMore < operation.most && count * us < kLongest * options.sample_ms * 1e3) {
    const double next = backend.sample(count * kMore);
    if (next * 1.5 > us) break;
    us = next;
    count *= kMore;
  }
  return count;
}

}  // namespace

std::vector<std::vector<double>> race(const Operation &operation, const CommonOptions &options, std::mt19937_64 &random) {
  std::vector<std::vector<double>> samples(operation.backends.size());
  std::vector<int> least, counts;
  for (const Backend &backend : operation.backends) {
    least.push_back(least_count(backend, operation, options));
    counts.push_back(operation.unit == "us" ? count_for(backend.sample(least.back()), least.back(), operation, options) : operation.most);
  }
  in_rounds(operation.backends.size(), options.repetitions, random, [&](std::size_t k) {
    samples[k].push_back(operation.backends[k].sample(counts[k]));
    if (operation.unit == "us") counts[k] = std::min(2 * counts[k], count_for(samples[k].back(), least[k], operation, options));
  });
  return samples;
}

std::vector<ResultRow> rows_of(const Operation &operation, const std::vector<std::vector<double>> &samples) {
  double limit = 0;
  for (std::size_t k = 0; k < samples.size(); ++k)
    if (operation.backends[k].by == kLimitBackend) limit = median(samples[k]);
  std::vector<ResultRow> rows;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (operation.backends[k].by == kLimitBackend) continue;
    ResultRow row{operation.name, operation.backends[k].by, operation.bytes, samples[k], limit, operation.unit};
    row.blocks = static_cast<double>(operation.blocks);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace bench
