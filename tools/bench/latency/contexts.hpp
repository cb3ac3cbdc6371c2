// The library opened once per kind of progress, so that one run measures them side by side.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.hpp>

#include <algorithm>
#include <list>
#include <random>
#include <string>
#include <vector>

namespace bench {

/// A context that was opened with HALOCLINE_PROGRESS set to a word. Collective.
class ContextWith {
 public:
  ContextWith(const std::string &progress, MPI_Comm comm);
  const std::string &progress() const { return progress_; }
  const halocline::Context &context() const { return context_; }
  /// What carries data to other nodes, whoever moves it.
  std::string network() const;

 private:
  std::string progress_;
  halocline::Context context_;
};

/// One for each kind of progress that a bench compares. Collective.
std::list<ContextWith> all_progress(MPI_Comm comm);

/// Those of a race in the order of one round.
template <class Contender>
std::vector<Contender *> shuffled(std::list<Contender> &all, std::mt19937_64 &random) {
  std::vector<Contender *> order;
  for (Contender &one : all) order.push_back(&one);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

}  // namespace bench
