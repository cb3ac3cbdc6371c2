// Rank 0's numbers go to all.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/rules.hpp"

namespace halocline {
namespace {

Status compare(const Context &context, const char *call, const Rules &rules) {
  for (std::size_t i = 0; i < rules.mine.size(); ++i)
    if (rules.first[i] != rules.mine[i].value)
      return fail(Status::mismatch, "%s: ranks disagree on %s: rank 0 has %lld, rank %d has %lld", call, rules.mine[i].name.c_str(),
                  static_cast<long long>(rules.first[i]), context.rank(), static_cast<long long>(rules.mine[i].value));
  return Status::ok;
}

}  // namespace

Rules::Rules(std::vector<Rule> rules) : mine(std::move(rules)) {
  for (const Rule &rule : mine) first.push_back(rule.value);
  requests.resize(1, MPI_REQUEST_NULL);
}

Status compare_rules(Context &context, const char *call, std::unique_ptr<Rules> &rules) {
  const auto count = static_cast<int>(rules->first.size());
  HLC_TRY(check_mpi(MPI_Ibcast(rules->first.data(), count, MPI_INT64_T, 0, context.comm(), rules->requests.data()), "MPI_Ibcast"));
  HLC_TRY(await(context, rules));
  return agree(context, context.comm(), compare(context, call, *rules));
}

}  // namespace halocline
