// SPDX-License-Identifier: BSD-3-Clause
#include "choice/drift.hpp"

#include <algorithm>
#include <utility>

namespace halocline::core {
namespace {

/// A time has changed if it is longer or shorter than at first by this factor, this many times in a row.
constexpr double kFactor = 1.5;
constexpr int kChanges = 2, kAbsences = 2;

}  // namespace

std::int64_t median_ns(const std::vector<std::int64_t> &times) {
  const auto middle = static_cast<std::ptrdiff_t>(times.size() / 2);
  for (const std::int64_t ns : times) {
    const auto below = std::count_if(times.begin(), times.end(), [ns](std::int64_t other) { return other < ns; });
    if (below <= middle && middle < below + std::count(times.begin(), times.end(), ns)) return ns;
  }
  return 0;
}

Drift::Drift() {
  mine_.reserve(kSwaps);
  all_.reserve(kSwaps);
}

void Drift::forget() {
  first_ns_ = last_ns_ = 0;
  changes_ = absences_ = 0;
  asked_.reset();
  begin_look();
}

void Drift::begin_look() {
  mine_.clear();
  swaps_ = 0;
}

void Drift::add(bool counts, std::int64_t ns) {
  if (counts) mine_.push_back(ns);
  swaps_ += 1;
}

/// A look that has seen few swaps of the kind that is compared says nothing of their times.
bool Drift::conclude(const std::vector<std::int64_t> &means) {
  const std::size_t asked = std::exchange(asked_, std::nullopt).value_or(0);
  absences_ = asked == 0 ? absences_ + 1 : 0;
  if (asked < kSwaps / 2) return absences_ >= kAbsences;
  all_.assign(means.begin(), means.begin() + static_cast<std::ptrdiff_t>(asked));
  last_ns_ = median_ns(all_);
  if (first_ns_ == 0) first_ns_ = last_ns_;
  const double change = static_cast<double>(last_ns_) / static_cast<double>(std::max<std::int64_t>(first_ns_, 1));
  changes_ = change > kFactor || change < 1 / kFactor ? changes_ + 1 : 0;
  return changes_ >= kChanges;
}

}  // namespace halocline::core
