// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/method.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "base/rounds.hpp"
#include "reduce/plan.hpp"

namespace halocline::core {
namespace {

constexpr const char *kWords[] = {"", "at_once", "chunks"};  // as cards name them, too

constexpr double kLead = 1.15;  // a smaller predicted lead does not count: curves are not that accurate
// Where no card predicts, or none leads.
constexpr std::int64_t kAtOnce = 16 << 10;  // bytes of all ranks, at most, where each combines everything
constexpr std::int64_t kAtOnceShared = 16 << 10;  // of each rank, where ranks share cores: chunks take each of them one more turn on a core
// The same between nodes, and of each of them. Beyond, to combine all takes longer than a share. So may a message that is one piece.
constexpr std::int64_t kGathered = 512 << 10, kGatheredOfNode = 64 << 10;
constexpr std::int64_t kMessage = 24 << 10;  // bytes that a node sends in the time of one message more in sequence
/// Bytes of all ranks together that are combined at once, at most, even if asked for: a rank has room for several times as many.
constexpr std::int64_t kMaxAtOnce = 8 << 20;

std::int64_t predicted_ns(const Card &card, hlc_model_case which, ReduceMethod method) {
  which.by = reduce_method_word(static_cast<std::int64_t>(method));
  hlc_prediction found{};
  if (!card.find_curve(which) || failed(card.predict(which, found)) || found.beyond_measured != 0) return ReduceOpinion::kUnknown;
  return static_cast<std::int64_t>(std::clamp(found.us * 1e3, 0.0, 1e15));
}

/// Whether the messages that are saved at once take as long as its additional bytes, or longer. The ring of N nodes sends 2 (N - 1) messages
/// in sequence, with 2 (N - 1) / N of a node's bytes together. At once they are log2(N), with N - 1 times the bytes.
bool saves_more_than_it_adds(std::int64_t bytes, int nodes) {
  const std::int64_t fewer = 2 * (nodes - 1) - doubling_rounds(nodes);
  return bytes * (nodes - 1) * (nodes - 2) <= kMessage * fewer * nodes;
}

}  // namespace

const char *reduce_method_word(std::int64_t method) { return kWords[method]; }

Status read_reduce_method(const std::string &who, ReduceMethod *method) {
  const std::string word = environment("ALLREDUCE");
  const auto found = std::find(std::begin(kWords), std::end(kWords), word);
  if (found == std::end(kWords))
    return fail(Status::argument, "%s: HALOCLINE_ALLREDUCE is '%s' but must be at_once or chunks", who.c_str(), word.c_str());
  *method = static_cast<ReduceMethod>(found - std::begin(kWords));
  return Status::ok;
}

ReduceOpinion ReduceOpinion::of(const Card &card, const Topology &topology, std::int64_t bytes) {
  hlc_model_case which{};
  which.operation = "allreduce";
  which.nodes = topology.nodes();
  which.bytes = static_cast<double>(bytes);
  which.ranks = topology.size();
  which.ranks_per_core = topology.ranks_per_core();
  return {topology.members(), predicted_ns(card, which, ReduceMethod::at_once), predicted_ns(card, which, ReduceMethod::chunks)};
}

bool is_at_once(ReduceMethod asked, const ReduceOpinion &all, const Topology &topology, std::int64_t bytes) {
  if (bytes == 0) return true;
  if (bytes > kMaxAtOnce / topology.size()) return false;
  if (asked != ReduceMethod::any) return asked == ReduceMethod::at_once;
  if (all.predicts()) {
    if (static_cast<double>(all.at_once_ns) * kLead <= static_cast<double>(all.chunks_ns)) return true;
    if (static_cast<double>(all.chunks_ns) * kLead <= static_cast<double>(all.at_once_ns)) return false;
  }
  if (topology.nodes() == 1) return bytes <= (topology.core_per_rank() ? kAtOnce / topology.members() : kAtOnceShared);
  const std::int64_t of_node = pack_stride(bytes) * all.lanes;
  return of_node <= std::min(kGatheredOfNode, kGathered / topology.nodes()) && saves_more_than_it_adds(of_node, topology.nodes());
}

}  // namespace halocline::core
