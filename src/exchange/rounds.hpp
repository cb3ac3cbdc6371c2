// The rounds of an exchange: what is sent, what has arrived, and what has been handed to the owner of the data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/arrivals.hpp"
#include "exchange/channels.hpp"
#include "exchange/packer.hpp"
#include "exchange/round_trace.hpp"
#include "exchange/waiting.hpp"

namespace halocline::core {

/// With HALOCLINE_CHECK=1 they are CheckedRounds.
class Rounds {
 public:
  Rounds(Plan &plan, const Channels &channels, Packer &owner)
      : plan_(plan),
        channels_(channels),
        waiting_(plan, channels),
        owner_(owner),
        packer_(&owner),
        trace_(plan),
        arrivals_(plan, channels, owner, trace_) {}
  Rounds(const Rounds &) = delete;
  Rounds &operator=(const Rounds &) = delete;
  virtual ~Rounds() = default;

  /// Makes room for the plan's edges.
  void make_tables() {
    arrivals_.make_tables();
    trace_.make_tables();
  }

  /// The plan's parts are other ones than in the last round.
  void parts_changed() { arrivals_.parts_changed(); }
  /// Unpack by edge index, not by arrival.
  void set_order(bool in_order) { arrivals_.set_order(in_order); }

  virtual Status start();
  /// `again` while something is missing. In modes whose steps wait inside MPI it polls nothing.
  virtual Status test();
  /// Waits for the data and hands them over. Then waits until no neighbour needs mine. The owner copies to itself meanwhile. If not waits,
  /// it is called once all data have arrived, and returns `again` while a neighbour needs mine.
  virtual Status finish(bool waits);
  /// As finish, as far as it needs no wait; `again` while something is left. In modes whose steps wait inside MPI it does nothing.
  Status finish_without_wait();
  /// As finish(true), but copy_to_self and end_round are not called: what has arrived is shown in place, and views are out until the next
  /// start or release.
  Status finish_views();
  /// Releases the views and waits until the peers have released theirs of my data.
  Status release();
  /// As release, without the wait: this rank reads no neighbour's data any more. Views are out until release or the next start.
  Status announce_release();
  /// Waits until the channels may be destroyed.
  Status settle();

  RoundTrace &trace() { return trace_; }
  /// A round has failed on another rank.
  void break_up() { plan_.state.broken = true; }

 protected:
  /// Check mode: messages carry stamps, and a failure is reported to the neighbours.
  void stamp(Check &check);
  /// Data of this round have been touched.
  bool delivers() const { return copied_; }
  /// A failure ends all rounds.
  Status mark_broken(Status status) { return failed(status) ? break_off(status) : status; }

  Plan &plan_;
  const Channels &channels_;
  Waiting waiting_;
  Packer &owner_;
  Check *check_ = nullptr;  // null unless HALOCLINE_CHECK=1

 private:
  Status send_all();
  Status send_edges(Channel &channel);
  Status send_edge(Channel &channel, int edge);
  Status wait_for_place(Channel &channel, int edge, void **buffer);
  Status wait_for_all();
  Status complete(bool waits);
  Status close(bool waits);
  Status close_each(int *rank);
  Status suspect_reader(int rank, bool timed_out);
  Status suspect_missing(bool timed_out);
  Status suspect_ending(bool of_all);
  Status break_off(Status status);

  Packer *packer_;  // the owner, or what puts stamps on its messages
  RoundTrace trace_;
  Arrivals arrivals_;
  bool copied_ = false;  // the owner has copied to itself
};

}  // namespace halocline::core
