// An exchange: edges to neighbours, the channels that carry them, and its rounds, with or without check mode.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exchange/channels.hpp"
#include "exchange/swap.hpp"

namespace halocline::core {

class Check;
class CheckedRounds;
class Packer;
class Rounds;

/// One plan for many rounds. Not thread-safe in itself; several exchanges are independent of each other.
class Exchange {
 public:
  /// The owner is also the packer.
  Exchange(const EngineParts &engine, Packer &owner, const Refusals &refusals);
  Exchange(const Exchange &) = delete;
  Exchange &operator=(const Exchange &) = delete;
  ~Exchange();

  /// Makes the plan. Collective; edges[e].rank is never the caller's own. label is what check mode calls it, with a # for the number of its
  /// plan. ndims is that of the halo, whose tags are directions, or 0.
  Status create(Options options, std::vector<Edge> edges, std::string label, int ndims = 0);

  /// Starts rounds and finishes them.
  Rounds &rounds() { return *rounds_; }
  /// What the next rounds move over each edge, until it is set again.
  std::vector<Part> &parts();
  /// True if parts are as planned on all ranks; in_order: unpack by edge index, not by arrival, so that sums are reproducible.
  void set_round(bool whole, bool in_order);
  /// What the next rounds move, as the trace says it.
  void describe_round(const std::string &what);
  /// Where the fields of the next round are, for neighbours that read them. Sized before create, the same on all ranks.
  std::vector<FieldPlace> &places() { return plan_.places; }

  /// Frees everything. Collective, after all ranks have synchronised for it; others_broken if a round of it has failed on any of them.
  /// Fails if a rank does not take part. state() then says on all ranks whether a round has failed on any.
  Status end(bool others_broken);

  /// Frees the buffers without the other ranks, once all have finished their last round; no round can follow. False if this mode cannot:
  /// then they stay until the end.
  bool retire() { return channels_.end_alone(); }

  /// Fails with the owner's message where a round cannot be started, tested or finished. An owner that has rounds without this exchange
  /// passes its own state.
  Status may_start(const char *call, RoundState state) const {
    const char *why = refusals_.at_start(state);
    return why ? bad_call(call, why) : Status::ok;
  }
  Status may_start(const char *call) const { return may_start(call, state()); }
  Status may_go_on(const char *call, RoundState state) const {
    const char *why = refusals_.at_finish(state);
    return why ? bad_call(call, why) : Status::ok;
  }
  Status may_go_on(const char *call) const { return may_go_on(call, state()); }
  /// The error for a call at the wrong time.
  Status bad_call(const char *call, const char *why) const;
  bool views_out() const { return plan_.views_out; }

  /// Null unless HALOCLINE_CHECK=1, and before create.
  Check *check() const;

  RoundState state() const { return plan_.state; }
  const Plan &plan() const { return plan_; }
  /// False if the edge's data are read in the neighbour's memory.
  bool packs(int edge) const { return channels_.of(edge).packs(); }
  /// Fills the parts of the info that an exchange knows.
  void describe(hlc_plan_info &info) const;
  /// What one round of all edges moves; the owner knows what is its own copying, and of how many runs of bytes it is made.
  Work work() const;

 private:
  Status make_comm();
  Status make_tables();
  Status check_sizes() const;
  Status make_check(std::string label);

  Packer &owner_;
  const Refusals &refusals_;
  Plan plan_;
  Channels channels_;
  std::unique_ptr<Rounds> rounds_;
  CheckedRounds *checked_ = nullptr;  // the same, with HALOCLINE_CHECK=1
};

}  // namespace halocline::core
