// Reductions of few elements: every rank gets the elements of all ranks, and combines them for itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "reduce/algorithm.hpp"
#include "reduce/node_ranks.hpp"

namespace halocline::core {

/// On one node: all ranks combine what the ranks have given.
class FewOnOneNode final : public ReduceAlgorithm {
 public:
  /// Allocates.
  FewOnOneNode(const ReducePlan &plan, NodeRanks &ranks);
  Status run(RunArrays arrays) override;

 private:
  const ReducePlan &plan_;
  NodeRanks &ranks_;
  std::vector<const char *> sources_;
  std::uint64_t runs_ = 0;
};

/// On several nodes: the first rank of each packs its node's elements and sends the pack to all nodes. Every rank combines all packs.
class FewOnNodes final : public ReduceAlgorithm {
 public:
  /// Allocates.
  FewOnNodes(const ReducePlan &plan, NodeRanks &ranks, Ring &ring, const Topology &topology);
  Status run(RunArrays arrays) override;

 private:
  Status gather(std::int64_t turn);
  Status swap_packs(std::int64_t turn, int step);
  void combine(std::int64_t turn, char *out);
  char *pack(std::int64_t turn, int before) const;

  const ReducePlan &plan_;
  NodeRanks &ranks_;
  Ring &ring_;
  const int node_;
  const std::int64_t stride_;  // between the ranks' elements in a pack
  std::vector<const char *> sources_;
  std::uint64_t runs_ = 0;
};

}  // namespace halocline::core
