// SPDX-License-Identifier: BSD-3-Clause
#include "model/terms.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace halocline::core {
namespace {

/// In the order of hlc_model_quantity.
constexpr const char *kNames[] = {"latency",
                                  "bytes",
                                  "switch",
                                  "log_ranks",
                                  "ranks",
                                  "sharing",
                                  "crowding",
                                  "crowding_log",
                                  "crowding_bytes",
                                  "neighbours",
                                  "blocks",
                                  "local_bytes",
                                  "ranks_bytes",
                                  "messages",
                                  "far_bytes",
                                  "far_messages",
                                  "crowding_local_bytes",
                                  "crowding_messages"};
static_assert(std::size(kNames) == HLC_MODEL_QUANTITY_COUNT_);

double ranks_of(const hlc_model_case &which) { return which.ranks > 0 ? which.ranks : 2; }
double log_ranks(const hlc_model_case &which) { return std::log2(std::max(ranks_of(which), 1.0)); }
double crowding(const hlc_model_case &which) { return std::max(which.ranks_per_core - 1, 0.0); }

double bytes_between(const hlc_model_term &term, double bytes) {
  const double end = term.to > 0 ? std::min(bytes, term.to) : bytes;
  return std::max(end - term.from, 0.0);
}

}  // namespace

const char *name_of_quantity(hlc_model_quantity quantity) {
  return quantity >= 0 && quantity < HLC_MODEL_QUANTITY_COUNT_ ? kNames[quantity] : nullptr;
}

hlc_model_quantity quantity_of_name(const std::string &name) {
  return static_cast<hlc_model_quantity>(std::find(std::begin(kNames), std::end(kNames), name) - std::begin(kNames));
}

double quantity_of(const hlc_model_term &term, const hlc_model_case &which) {
  switch (term.quantity) {
    case HLC_MODEL_LATENCY: return 1;
    case HLC_MODEL_BYTES: return bytes_between(term, which.bytes);
    case HLC_MODEL_SWITCH: return which.bytes >= term.from ? 1 : 0;
    case HLC_MODEL_LOG_RANKS: return log_ranks(which);
    case HLC_MODEL_RANKS: return ranks_of(which) - 1;
    case HLC_MODEL_SHARING: return crowding(which) > 0 ? 1 : 0;
    case HLC_MODEL_CROWDING: return crowding(which);
    case HLC_MODEL_CROWDING_LOG: return crowding(which) * log_ranks(which);
    case HLC_MODEL_CROWDING_BYTES: return crowding(which) * which.bytes;
    case HLC_MODEL_NEIGHBOURS: return which.neighbours;
    case HLC_MODEL_BLOCKS: return which.blocks;
    case HLC_MODEL_LOCAL_BYTES: return which.local_bytes;
    case HLC_MODEL_RANKS_BYTES: return (ranks_of(which) - 1) * which.bytes;
    case HLC_MODEL_MESSAGES: return which.messages;
    case HLC_MODEL_FAR_BYTES: return which.far_bytes;
    case HLC_MODEL_FAR_MESSAGES: return which.far_messages;
    case HLC_MODEL_CROWDING_LOCAL_BYTES: return crowding(which) * which.local_bytes;
    case HLC_MODEL_CROWDING_MESSAGES: return crowding(which) * which.messages;
    case HLC_MODEL_QUANTITY_COUNT_: break;
  }
  return 0;
}

double cost_of(const std::vector<hlc_model_term> &terms, const hlc_model_case &which) {
  double us = 0;
  for (const hlc_model_term &term : terms) us += term.us * quantity_of(term, which);
  return us;
}

}  // namespace halocline::core
