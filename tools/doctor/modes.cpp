// SPDX-License-Identifier: BSD-3-Clause
#include "modes.hpp"

#include <mpi.h>

#include <algorithm>

namespace doctor {
namespace {

/// A mode and the probes that it stands on; "probe:operation" looks at what was found of one operation alone.
struct ModeNeeds {
  const char *mode;
  std::vector<std::string> probes;
};

/// What every plan does, in every mode.
const std::vector<std::string> kPlan{
    "messages/plain",         "messages/handshake", "messages/struct_of_bytes", "collectives/reductions", "collectives/nonblocking",
    "collectives/agreements", "memory/node"};

/// The window modes put into aligned windows only, but an MPI that puts to wrong places in others is not trusted with these either.
const std::vector<ModeNeeds> kModes{
    {"p2p", {"messages/persistent"}},
#if MPI_VERSION >= 4
    {"neighbor", {"collectives/neighbor", "collectives/neighbor_persistent"}},
#else
    {"neighbor", {"collectives/neighbor"}},
#endif
    {"fence", {"epochs/fence_early", "epochs/fence_late", "epochs/fence_get", "allocate/fence:put", "allocate/fence:get"}},
    {"pscw", {"epochs/pscw_early", "epochs/pscw_late", "allocate/pscw:put"}},
    {"passive", {"epochs/passive", "messages/persistent", "allocate/flush_all:put"}},
    {"passive_naive", {"epochs/passive_naive", "allocate/lock_all:put"}},
    // Between nodes these send messages where there is no network.
    {"notify", {"messages/persistent"}},
    {"direct", {"messages/persistent"}},
    {"view", {"messages/persistent"}},
    {"notify_node", {"messages/persistent"}},
};

/// What was found of a need, as a verdict.
ModeVerdict look_up(const std::string &need, const std::vector<Result> &results) {
  const std::size_t colon = need.find(':');
  const std::string probe = need.substr(0, colon), operation = colon == std::string::npos ? "" : need.substr(colon + 1);
  const auto result = std::find_if(results.begin(), results.end(), [&](const Result &r) { return r.probe == probe; });
  if (result == results.end() || result->outcome == Outcome::untested) return {"untested", probe + " was not tried"};
  ModeVerdict verdict{"right", ""};
  Outcome worst = Outcome::fact;
  for (const Finding &finding : result->findings) {
    const bool meant = operation.empty() || finding.operation.empty() || finding.operation == operation;
    if (!meant || finding.outcome <= worst) continue;
    worst = finding.outcome;
    verdict = {name_of(worst), probe + ": " + finding.text};
  }
  return verdict;
}

ModeVerdict judge(const ModeNeeds &mode, const std::vector<Result> &results) {
  ModeVerdict worst{"right", ""};
  std::vector<std::string> needs = mode.probes;
  needs.insert(needs.end(), kPlan.begin(), kPlan.end());
  for (const std::string &need : needs) {
    const ModeVerdict verdict = look_up(need, results);
    if (outcome_of(verdict.word) > outcome_of(worst.word)) worst = verdict;
  }
  return worst;
}

}  // namespace

ModeVerdicts judge_modes(const std::vector<Result> &results) {
  ModeVerdicts verdicts;
  for (const ModeNeeds &mode : kModes) verdicts[mode.mode] = judge(mode, results);
  return verdicts;
}

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  for (const ModeNeeds &mode : kModes) names.emplace_back(mode.mode);
  return names;
}

}  // namespace doctor
