// An operation, the backends that carry it out, and the race between them: one sample of each per round, in shuffled order.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"

#include <functional>
#include <random>

namespace bench {

/// Who carries an operation out. `sample` does so `count` times and returns what one took, on the slowest rank. Collective.
struct Backend {
  std::string by;
  std::function<double(int count)> sample;
};

struct Operation {
  std::string name;
  std::int64_t bytes = 0;
  std::vector<Backend> backends{};
  int most = 1'000'000;  ///< times in a sample
  std::string unit = "us";
  std::int64_t blocks = 0;
};

/// The backend that is no contender: what the machine needs at least.
inline const std::string kLimitBackend = "limit";

/// Samples of each backend, one per round. Each runs before the first round, which also says how often a sample repeats the operation. Where
/// the unit is not us, a sample has `most` operations. Collective.
std::vector<std::vector<double>> race(const Operation &operation, const CommonOptions &options, std::mt19937_64 &random);

/// The rows of a race; the limit's median stands beside those of the others.
std::vector<ResultRow> rows_of(const Operation &operation, const std::vector<std::vector<double>> &samples);

}  // namespace bench
