// Reductions of many elements, chunk by chunk. A rank gives elements to the others of its node, combines the chunks of its own lanes, and
// takes the others' results. It gives one row ahead and takes one behind, so that it seldom waits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "reduce/algorithm.hpp"
#include "reduce/node_rows.hpp"

namespace halocline::core {

/// On one node: a row per round.
class ManyOnOneNode final : public ReduceAlgorithm {
 public:
  /// Allocates.
  ManyOnOneNode(const ReducePlan &plan, NodeRanks &ranks, Fields &fields);
  Status run(RunArrays arrays) override;

 private:
  Status pass_rows(RunArrays arrays);
  Status work(const ChunkRow &row, RunArrays arrays);
  void combine(const ChunkRow &row, int index, RunArrays arrays);

  const ReducePlan &plan_;
  NodeRanks &ranks_;
  NodeRows rows_;
  std::vector<const char *> sources_;  // of one fold
  std::uint64_t rows_before_ = 0;      // in all runs before
};

/// On several nodes: a row per unit of the ring (plan.hpp).
class ManyOnNodes final : public ReduceAlgorithm {
 public:
  /// Allocates.
  ManyOnNodes(const ReducePlan &plan, NodeRanks &ranks, Ring &ring, Fields &fields, int node);
  Status run(RunArrays arrays) override;

 private:
  Status pass_units(RunArrays arrays);
  Status give(const Units &unit, const char *in);
  Status work(const Units &unit, RunArrays arrays);
  void combine(const Units &unit, int index, Range range, RunArrays arrays);
  void hand_on(const Units &unit, int index, Range range, char *out);
  Status await_chunk(const Units &unit, int index, Range range);
  Status send(const Units &unit, int index, Range range);
  Status take(const Units &unit, char *out);
  ChunkRow row(const Units &unit) const {
    return {units_before_ + static_cast<std::uint64_t>(unit.number()), unit.round(), plan_.cut.part_at(node_, unit.step())};
  }
  int lane(int index) const { return ranks_.me() + index * ranks_.members(); }

  const ReducePlan &plan_;
  NodeRanks &ranks_;
  Ring &ring_;
  NodeRows rows_;
  const int node_;
  std::vector<const char *> sources_;  // of one fold
  std::uint64_t units_before_ = 0;     // in all runs before
};

}  // namespace halocline::core
