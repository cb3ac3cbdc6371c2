// The events of rounds, and the sums that the summary needs.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/round_trace.hpp"

#include <algorithm>
#include <utility>

namespace halocline::core {
namespace {

constexpr const char *kCategory = "swap";
constexpr std::int64_t kShortest_ns = 1000;  // of a wait for no rank in particular

}  // namespace

void RoundTrace::make_tables() {
  if (!trace::is_on()) return;
  plan_.times->add_exchange(plan_);
  if (const std::string &name = plan_.times->plan().name; !name.empty()) label_ = trace::keep_text(name);
}

trace::Event RoundTrace::event(const char *name, int edge) const {
  const Topology &topology = *plan_.topology;
  trace::Event made{name, kCategory};
  made.rank = topology.in_world(topology.rank());
  made.context = topology.number();
  made.plan = plan_.times->plan().serial;
  made.round = plan_.times->sums().swaps;
  made.label = label_;
  made.detail = detail_;
  if (edge < 0) return made;
  const auto e = static_cast<std::size_t>(edge);
  made.peer = topology.in_world(plan_.edges[e].rank);
  made.bytes = std::max(plan_.parts[e].out, plan_.parts[e].in);
  return made;
}

void RoundTrace::begin_round(std::int64_t now_ns) {
  plan_.times->begin_call();
  plan_.times->begin_stage(plan_, now_ns);
  wait_begun_ = {};
  trace::Event opens = event("swap", -1);
  opens.kind = trace::Kind::opens;
  opens.begin_ns = now_ns;
  trace::record(opens);
}

void RoundTrace::record_call(const char *name, std::int64_t begin_ns) {
  trace::Event call = event(name, -1);
  call.begin_ns = begin_ns;
  call.end_ns = ended_ns_ = now_ns();
  plan_.times->end_call(begin_ns, call.end_ns);
  trace::record(call);
}

void RoundTrace::end_round(bool failed) {
  plan_.times->end_stage(plan_, failed);
  trace::Event closes = event("swap", -1);
  closes.kind = trace::Kind::closes;
  closes.begin_ns = ended_ns_;
  trace::record(closes);
}

void RoundTrace::record_wait(const char *name, int edge, int rank) {
  if (!waits()) return;
  trace::Event wait = event(name, edge);
  wait.category = "wait";
  const trace::WaitBegin begun = std::exchange(wait_begun_, {});
  wait.begin_ns = begun.ns;
  wait.end_ns = now_ns();
  const std::int64_t time = wait.end_ns - wait.begin_ns;
  if (wait.peer == trace::kNoRank && rank < 0 && time < kShortest_ns) return;
  trace::count_wait(begun, wait.end_ns);
  plan_.times->add_wait(edge < 0 ? -1 : plan_.edges[static_cast<std::size_t>(edge)].rank, time);
  if (edge < 0 && rank >= 0) wait.peer = plan_.topology->in_world(rank);
  trace::record(wait);
}

}  // namespace halocline::core
