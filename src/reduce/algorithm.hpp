// The algorithms of reductions: one object per plan, chosen by the number of nodes and of elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/status.hpp"
#include "reduce/combine.hpp"
#include "reduce/plan.hpp"

namespace halocline::core {

/// What a plan has chosen, the same on all ranks. It does not change after the creation.
struct ReducePlan {
  Combiner combiner;
  Cut cut;
  Layout layout;
  bool at_once = false;      // every rank combines everything itself
  bool past_caches = false;  // results are too long to stay in a cache
};

/// The arrays of one run on this rank.
struct RunArrays {
  const char *in;
  char *out;
};

/// Runs a plan.
class ReduceAlgorithm {
 public:
  ReduceAlgorithm() = default;
  ReduceAlgorithm(const ReduceAlgorithm &) = delete;
  ReduceAlgorithm &operator=(const ReduceAlgorithm &) = delete;
  virtual ~ReduceAlgorithm() = default;
  /// Allocates nothing. After a failure it must not be called again.
  virtual Status run(RunArrays arrays) = 0;
};

}  // namespace halocline::core
