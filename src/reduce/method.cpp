// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/method.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "reduce/plan.hpp"

namespace halocline::core {
namespace {

constexpr const char *kWords[] = {"", "at_once", "chunks"};  // as cards name them, too

// Where no card predicts.
constexpr std::int64_t kAtOnce = 16 << 10;  // bytes that a rank reads of all others, at most, where each rank combines everything
constexpr std::int64_t kGathered =
    64 << 10;  // the same between nodes, of all ranks: beyond this, sending all costs more than going round the ring twice
/// Bytes of all ranks together that are combined at once, at most, even if asked for: a rank has room for several times as many.
constexpr std::int64_t kMostAtOnce = 8 << 20;

std::int64_t predicted_ns(const Card &card, hlc_model_case which, ReduceMethod method) {
  which.by = reduce_method_word(static_cast<std::int64_t>(method));
  hlc_prediction found{};
  if (!card.find_curve(which) || failed(card.predict(which, found)) || found.beyond_measured != 0) return ReduceOpinion::kUnknown;
  return static_cast<std::int64_t>(std::clamp(found.us * 1e3, 0.0, 1e15));
}

}  // namespace

const char *reduce_method_word(std::int64_t method) { return kWords[method]; }

Status read_reduce_method(const std::string &who, ReduceMethod *method) {
  const std::string word = environment("ALLREDUCE");
  const auto found = std::find(std::begin(kWords), std::end(kWords), word);
  if (found == std::end(kWords))
    return fail(Status::argument, "%s: HALOCLINE_ALLREDUCE is '%s', it must be at_once or chunks", who.c_str(), word.c_str());
  *method = static_cast<ReduceMethod>(found - std::begin(kWords));
  return Status::ok;
}

ReduceOpinion ReduceOpinion::of(const Card &card, const Topology &topology, std::int64_t bytes) {
  hlc_model_case which{};
  which.operation = "allreduce";
  which.nodes = topology.nodes();
  which.bytes = static_cast<double>(bytes);
  which.ranks = topology.size();
  which.ranks_per_core = static_cast<double>(topology.members()) / std::max(topology.cores(), 1);
  return {topology.members(), predicted_ns(card, which, ReduceMethod::at_once), predicted_ns(card, which, ReduceMethod::chunks)};
}

bool is_at_once(ReduceMethod asked, const ReduceOpinion &all, const Topology &topology, std::int64_t bytes) {
  if (bytes == 0) return true;
  if (bytes > kMostAtOnce / topology.size()) return false;
  if (asked != ReduceMethod::any) return asked == ReduceMethod::at_once;
  if (all.predicts()) return all.at_once_ns <= all.chunks_ns;
  if (topology.nodes() == 1) return bytes <= kAtOnce / topology.members();
  return pack_stride(bytes) * all.lanes <= kGathered / topology.nodes();
}

}  // namespace halocline::core
