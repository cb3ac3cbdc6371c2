// A planned reduction: the object behind hlc_allreduce. It makes the plan and ends it; an algorithm runs it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "engine/context/context.hpp"
#include "reduce/algorithm.hpp"
#include "reduce/method.hpp"
#include "reduce/node_ranks.hpp"

namespace halocline::core {

/// Made and ended collectively; run allocates nothing.
class Allreduce {
 public:
  explicit Allreduce(Context &context) : context_(context), ranks_(context, context.network()) {}
  Allreduce(const Allreduce &) = delete;
  Allreduce &operator=(const Allreduce &) = delete;

  /// The local part of the creation: checks the spec, chooses the arithmetic, asks the card, and appends the plan's name to *plan.
  Status take(const hlc_allreduce_spec *spec, const Card &card, std::string *plan);
  Status create(const hlc_allreduce_spec *spec);
  Status run(const void *in, void *out);
  /// To be called after all ranks have met to end it; others_broken if a run has failed on any of them.
  Status end(bool others_broken);
  bool broken() const { return broken_; }
  std::int64_t serial() const { return serial_; }

  Context &context() { return context_; }
  hlc_allreduce_info_t describe() const;

 private:
  Status check(const hlc_allreduce_spec *spec) const;
  void choose(std::int64_t count);
  Status make_memory();
  Status make_tables();
  std::unique_ptr<ReduceAlgorithm> choose_algorithm();
  std::int64_t network_bytes() const;
  Status mark_broken(Status status);

  Context &context_;
  std::int64_t serial_ = 0;  // among the plans of the context
  ReduceMethod asked_ = ReduceMethod::any;
  ReduceOpinion opinion_;  // after create that of all ranks
  ReducePlan plan_;
  bool broken_ = false;
  SharedMemory memory_;  // moved into the ring where there is one
  std::unique_ptr<Ring> ring_;
  NodeRanks ranks_;
  std::unique_ptr<ReduceAlgorithm> algorithm_;
};

}  // namespace halocline::core
