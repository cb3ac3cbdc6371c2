// Broadcasts rank 0's numbers, and compares them on each rank.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/communicator/consistency.hpp"

namespace halocline::core {
namespace {

std::string text_of(const Rule &rule, std::int64_t value) { return rule.word ? rule.word(value) : std::to_string(value); }

Status compare(const Communicator &communicator, const char *call, const ConsistencyCheck &rules) {
  for (std::size_t i = 0; i < rules.mine.size(); ++i) {
    const Rule &rule = rules.mine[i];
    if (rules.first[i] != rule.value)
      return fail(Status::mismatch, "%s: ranks disagree on %s: rank 0 has %s, rank %d has %s", call, rule.name.c_str(),
                  text_of(rule, rules.first[i]).c_str(), communicator.rank(), text_of(rule, rule.value).c_str());
  }
  return Status::ok;
}

}  // namespace

ConsistencyCheck::ConsistencyCheck(std::vector<Rule> rules) : mine(std::move(rules)) {
  for (const Rule &rule : mine) first.push_back(rule.value);
  requests.resize(1, MPI_REQUEST_NULL);
}

Status compare_rules(Communicator &communicator, const char *call, std::unique_ptr<ConsistencyCheck> &rules) {
  const auto count = static_cast<int>(rules->first.size());
  HLC_TRY(check_mpi(MPI_Ibcast(rules->first.data(), count, MPI_INT64_T, 0, communicator.comm(), rules->requests.data()), "MPI_Ibcast"));
  HLC_TRY(await(communicator, rules));
  return agree(communicator, communicator.comm(), compare(communicator, call, *rules));
}

}  // namespace halocline::core
