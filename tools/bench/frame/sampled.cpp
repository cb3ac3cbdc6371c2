// SPDX-License-Identifier: BSD-3-Clause
#include "bench/frame/sampled.hpp"

#include <cmath>

namespace bench {

void Sampled::conclude() {
  median = bench::median(samples);
  p10 = quantile(samples, 0.1);
  p90 = quantile(samples, 0.9);
}

std::string spread_of(const Sampled &sampled) { return significant(sampled.p10) + " - " + significant(sampled.p90); }

Json json_of(const Sampled &sampled, const std::string &unit) {
  return {{"median" + unit, sampled.median}, {"p10" + unit, sampled.p10}, {"p90" + unit, sampled.p90}, {"samples" + unit, sampled.samples}};
}

int repeats_for(double us, const CommonOptions &options, double least, double most) {
  return static_cast<int>(std::clamp(std::ceil(options.sample_ms * 1e3 / std::max(us, 0.001)), least, most));
}

}  // namespace bench
