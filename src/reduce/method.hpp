// Whether the elements of a reduction are combined at once or in chunks. HALOCLINE_ALLREDUCE decides; else what takes less by the machine
// cards of all ranks; else the number of bytes (docs/design/019-allreduce.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "engine/communicator/topology.hpp"
#include "model/card.hpp"

namespace halocline::core {

/// at_once: every rank gets and combines the elements of all. chunks: each rank combines a share, and gets the results of the others.
enum class ReduceMethod : std::int64_t { any, at_once, chunks };

/// The value of HALOCLINE_ALLREDUCE that stands for a method; "" for any.
const char *reduce_method_word(std::int64_t method);
/// Reads HALOCLINE_ALLREDUCE. `who` begins the message of an invalid value.
Status read_reduce_method(const std::string &who, ReduceMethod *method);

/// What a rank contributes to the choice. The largest numbers of all ranks count.
struct ReduceOpinion {
  static constexpr std::int64_t kUnknown = INT64_MAX;

  std::int64_t lanes = 1;  // ranks on a node
  std::int64_t at_once_ns = kUnknown, chunks_ns = kUnknown;

  bool predicts() const { return at_once_ns != kUnknown && chunks_ns != kUnknown; }
  /// The number of ranks on this node, and what the card predicts for these bytes of each rank.
  static ReduceOpinion of(const Card &card, const Topology &topology, std::int64_t bytes);
};

/// Whether a reduction of these bytes of each rank is at once, given the largest numbers of all ranks.
bool is_at_once(ReduceMethod asked, const ReduceOpinion &all, const Topology &topology, std::int64_t bytes);

}  // namespace halocline::core
