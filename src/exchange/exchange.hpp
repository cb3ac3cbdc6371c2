// An exchange: edges to neighbours, the channels that carry them, and its rounds, with or without check mode.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/communicator/collective.hpp"
#include "exchange/channels.hpp"
#include "exchange/checked_rounds.hpp"
#include "exchange/packer.hpp"
#include "exchange/rounds.hpp"
#include "exchange/stamp.hpp"
#include "exchange/swap.hpp"

namespace halocline::core {

/// One plan for many rounds. Not thread-safe in itself; several exchanges are independent of each other.
class Exchange {
 public:
  /// The owner is also the packer.
  Exchange(const EngineParts &engine, Packer &owner, const Refusals &refusals)
      : owner_(owner), refusals_(refusals), channels_(plan_), waiting_(plan_, channels_), rounds_(plan_, channels_, waiting_, owner) {
    plan_.communicator = &engine.communicator;
    plan_.topology = &engine.communicator;
    plan_.lent_comm = engine.lent_comm;
    plan_.network = &engine.network;
    plan_.packings = &engine.packings;
    plan_.check_mailbox = engine.check_mailbox;
    plan_.times = engine.times;
  }
  Exchange(const Exchange &) = delete;
  Exchange &operator=(const Exchange &) = delete;
  ~Exchange() { static_cast<void>(end(false)); }

  /// Makes the plan. Collective; edges[e].rank is never the caller's own. label is what check mode calls it, with a # for its number. ndims
  /// is that of the halo, whose tags are directions, or 0.
  Status create(Options options, std::vector<Edge> edges, std::string label, int ndims = 0);

  /// What the next rounds move over each edge, until it is set again.
  std::vector<Part> &parts() {
    rounds_.parts_changed();
    return plan_.parts;
  }
  /// True if parts are as planned on all ranks; in_order: unpack by edge index, not by arrival, so that sums are reproducible.
  void set_round(bool whole, bool in_order) {
    rounds_.parts_changed();
    plan_.whole_round = whole;
    rounds_.set_order(in_order);
    if (checked_) add_stamps(plan_.parts);
  }

  /// What the next rounds move, as the trace says it.
  void describe_round(const std::string &what) { rounds_.trace().describe_round(what); }

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

  /// Starts a round. With HALOCLINE_CHECK=1 look first checks the owner's data, and returns the descriptor of this round.
  template <class Look>
  Status start(Look look) {
    if (!checked_) return rounds_.start();
    RoundDescriptor descriptor;
    HLC_TRY(alone(*plan_.topology, [&] {
      descriptor = look();
      return Status::ok;
    }));
    return checked_->start(descriptor);
  }
  Status test() { return checked_ ? checked_->test() : rounds_.test(); }
  /// Waits for the data, unpacks, and waits until no neighbour needs my own. The owner copies to itself meanwhile. If not waits, does this
  /// as far as it needs no wait, and returns `again` while something is left. In modes whose steps wait inside MPI it then does nothing.
  Status finish(bool waits = true) {
    if (const Status all = waits ? Status::ok : arrived(); all != Status::ok) return all;
    return checked_ ? checked_->finish(waits) : rounds_.finish(waits);
  }
  /// Waits for the data and shows them in place: views are out until the next start or release.
  Status finish_views() { return rounds_.finish_views(); }
  /// Releases the views and waits until the peers have released theirs of my data.
  Status release() { return rounds_.release(); }
  bool views_out() const { return plan_.views_out; }

  /// Null unless HALOCLINE_CHECK=1.
  Check *check() const { return checked_ ? &checked_->check() : nullptr; }

  RoundState state() const { return rounds_.state(); }
  const Plan &plan() const { return plan_; }
  /// False if the edge's data are read in the neighbour's memory.
  bool packs(int edge) const { return channels_.of(edge).packs(); }
  /// Fills the parts of the info that an exchange knows.
  void describe(hlc_plan_info &info) const;
  /// What one round of all edges moves; the owner knows what is its own copying, and of how many runs of bytes it is made.
  Work work() const;

 private:
  Status arrived();
  Status make_comm();
  Status make_tables();
  Status check_sizes() const;
  Status make_check(std::string label);

  Packer &owner_;
  const Refusals &refusals_;
  Plan plan_;
  Channels channels_;
  Waiting waiting_;
  Rounds rounds_;
  std::unique_ptr<CheckedRounds> checked_;  // null unless HALOCLINE_CHECK=1
};

}  // namespace halocline::core
