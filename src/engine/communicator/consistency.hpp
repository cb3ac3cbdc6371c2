// Checks that values are the same on all ranks, and reports two ranks that disagree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "engine/communicator/collective.hpp"

namespace halocline::core {

/// A number with a name; `word`, unless null, returns the name of a value.
struct Rule {
  std::string name;
  std::int64_t value;
  const char *(*word)(std::int64_t) = nullptr;
};

/// This rank's values, and the numbers of rank 0.
struct ConsistencyCheck : Job {
  explicit ConsistencyCheck(std::vector<Rule> rules);
  std::vector<Rule> mine;
  std::vector<std::int64_t> first;
};

/// Compares with rank 0. Collective; allocates nothing.
Status compare_rules(Communicator &communicator, const char *call, std::unique_ptr<ConsistencyCheck> &rules);

/// Compares the rules that list() returns with those of rank 0; every rank must have as many. Collective; HLC_ERR_MISMATCH on all ranks
/// names two that disagree, with both values. `call` is the API function that checks.
template <class List>
Status check_rules(Communicator &communicator, const char *call, List list) {
  std::unique_ptr<ConsistencyCheck> rules;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    rules = std::make_unique<ConsistencyCheck>(list());
    return Status::ok;
  }));
  return compare_rules(communicator, call, rules);
}

}  // namespace halocline::core
