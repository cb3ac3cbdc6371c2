// What the owners of exchanges, and those above them, know of a plan's swaps: their state, how a call at the wrong time is refused, and what a
// swap moves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halocline::core {

/// What messages call the plan of the caller, which may have several exchanges.
struct PlanName {
  std::int64_t serial = 0;  // among the plans of the context
  std::string name = {};  // the caller's; may be empty

  /// "plan 'flow'", or "plan 2" without a name.
  std::string text() const { return "plan " + (name.empty() ? std::to_string(serial) : "'" + name + "'"); }
};

/// The end of a message about a swap that did not end in time, without check mode.
inline constexpr const char *kFindDifferentSwaps = "; HALOCLINE_CHECK=1 finds ranks that start different swaps";

/// The state of an owner's calls.
struct RoundState {
  bool under_way = false, broken = false;
};

/// The messages with which the owner of an exchange refuses a call at the wrong time.
struct Refusals {
  const char *failed_before, *under_way;  // start
  const char *not_started, *has_failed;  // test and finish

  /// Why a round cannot be started; NULL if it can.
  const char *at_start(RoundState state) const { return state.broken ? failed_before : state.under_way ? under_way : nullptr; }
  /// Why it cannot be tested or finished.
  const char *at_finish(RoundState state) const { return !state.under_way ? not_started : state.broken ? has_failed : nullptr; }
};

/// What a swap of a whole plan moves on one rank, as the cases of a machine card say it.
struct Work {
  std::int64_t bytes = 0, local_bytes = 0;  // from other ranks, and from this one
  std::int64_t runs = 0;  // contiguous runs of bytes, of both
  int neighbours = 0, messages = 0;  // other ranks that send something, and the messages of these
  std::int64_t far_bytes = 0;  // of the bytes and messages, those of ranks on other nodes
  int far_messages = 0;
  std::vector<int> others;  // all other ranks with which data are exchanged
};

}  // namespace halocline::core
