// Sums that do not depend on the order of their terms, and so not on the decomposition.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.hpp>

#include <cmath>
#include <vector>

namespace boltzmann {

/// A number of 2^-70: terms are rounded to it, and then added without error while the sum is below 2^57.
__extension__ typedef __int128 Fixed;

/// Sums of several kinds over all ranks.
class Sums {
 public:
  explicit Sums(std::size_t count) : parts_(count) {}
  void add(std::size_t kind, double term) { parts_[kind].value += static_cast<Fixed>(std::ldexp(term, kBits)); }
  /// The sums of all ranks. Collective.
  std::vector<double> total(const halocline::Context &context) {
    const auto both = [](Part a, Part b) { return Part{a.value + b.value}; };
    halocline::Allreduce<Part> reduction(context, static_cast<std::int64_t>(parts_.size()), both, "exact sums");
    reduction.run(parts_.data());
    std::vector<double> totals;
    for (const Part &part : parts_) totals.push_back(std::ldexp(static_cast<double>(part.value), -kBits));
    return totals;
  }

 private:
  static constexpr int kBits = 70;
  struct Part {
    Fixed value = 0;
  };
  std::vector<Part> parts_;
};

}  // namespace boltzmann
