// An exchange: edges to neighbours, the legs that carry them, and the order in which things happen in start, test and finish.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "engine/communicator/collective.hpp"
#include "exchange/cargo.hpp"
#include "exchange/check.hpp"
#include "exchange/stamp.hpp"

namespace halocline {

/// How far the calls of an owner have come.
struct RoundState {
  bool under_way = false, broken = false;
};

/// The words in which the owner of an exchange refuses a call that comes at the wrong time.
struct Refusals {
  const char *failed_before, *under_way;  // start
  const char *not_started, *has_failed;   // test and finish

  /// Why a round cannot be started; NULL if it can.
  const char *at_start(RoundState state) const { return state.broken ? failed_before : state.under_way ? under_way : nullptr; }
  /// Why it cannot be tested or finished.
  const char *at_finish(RoundState state) const { return !state.under_way ? not_started : state.broken ? has_failed : nullptr; }
};

/// One plan for many rounds. Not thread-safe in itself; several exchanges are independent of each other.
class Exchange {
 public:
  /// The owner is also the cargo.
  Exchange(Context &context, Cargo &owner, const Refusals &refusals) : owner_(owner), refusals_(refusals), cargo_(&owner) {
    plan_.context = &context;
  }
  Exchange(const Exchange &) = delete;
  Exchange &operator=(const Exchange &) = delete;
  ~Exchange() { static_cast<void>(end(false)); }

  /// Plans. Collective; edges[e].rank is never the caller's own. label is what check mode calls it, with a # for its number; ndims is that of
  /// the halo, whose tags are directions, or 0.
  Status create(Options options, std::vector<Edge> edges, std::string label, int ndims = 0);

  /// What the next round moves over each edge; unchanged until it is set again.
  std::vector<Part> &parts() {
    arranged_ = false;
    return plan_.parts;
  }
  /// True if parts are as planned on all ranks; in_order: unpack by edge index, not by arrival, so that sums are reproducible.
  void set_round(bool whole, bool in_order) {
    arranged_ = false;
    plan_.whole_round = whole;
    in_order_ = in_order;
    if (check_) add_stamps(plan_.parts);
  }

  /// Where the fields of the next round lie, for neighbours that read them. Told before create that there are so many, which is the same on all ranks.
  std::vector<FieldPlace> &places() { return plan_.places; }

  /// Gives everything back. Collective, after all ranks have met for it; others_broken if a round of it has failed on any of them. Fails if a
  /// rank does not come.
  Status end(bool others_broken);

  /// Fails with the owner's words where a round cannot be started, tested or finished. The owner's state is another one where it has rounds without
  /// this exchange.
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
  /// A call at the wrong time.
  Status bad_call(const char *call, const char *why) const;

  /// Starts a round. With HALOCLINE_CHECK=1 look looks at the owner's data first, and returns what the neighbours are told of this round.
  template <class Look>
  Status start(Look look) {
    if (!check_) return launch();
    RoundCard card;
    HLC_TRY(alone(*plan_.context, [&] {
      card = look();
      return Status::ok;
    }));
    return start_checked(card);
  }
  Status test();
  /// Waits for the data, unpacks, and waits until my own are needed no more. The owner copies to itself meanwhile.
  Status finish();
  /// Does what finish does as far as that needs no wait, and answers `again` while something is left: to this call or to finish. In modes whose
  /// steps wait inside MPI it does nothing.
  Status try_finish();
  /// Waits for the data and shows them where they lie: views are out until the next start or release.
  Status finish_views();
  /// Gives views back and waits until the peers have given back theirs of my own data.
  Status release();
  bool views_out() const { return plan_.views_out; }

  /// Null unless HALOCLINE_CHECK=1.
  Check *check() const { return check_.get(); }

  RoundState state() const { return {in_flight_, broken_}; }
  bool in_flight() const { return in_flight_; }
  bool broken() const { return broken_; }
  const Plan &plan() const { return plan_; }
  /// False if what an edge brings is read in the neighbour's memory.
  bool packs(int edge) const { return legs_[leg_of_[static_cast<std::size_t>(edge)]]->packs(); }
  /// Fills the parts of the info that an exchange knows.
  void describe(hlc_plan_info &info) const;

 private:
  Status launch();
  Status start_checked(const RoundCard &card);
  Status test_unchecked();
  Status test_checked();
  Status complete();
  Status deliver();
  Status try_deliver();
  Status finish_checked();
  Status try_finish_checked();
  template <class Part>
  Status in_round(Part part);
  Status announce_finish(bool waits);
  void look_before_delivery();
  Status look_after_delivery();
  Status meet();

  /// A leg of the exchange, by edge: leg_of_[edge].
  Leg &leg(int edge) { return *legs_[leg_of_[static_cast<std::size_t>(edge)]]; }
  Status make_tables();
  Status check_sizes() const;
  Status make_check(std::string label);
  Status make_legs();
  Status make_far_leg(const std::vector<int> &far);
  Status settle();
  Status report_detours() const;
  Status add_leg(MakeLeg make, const std::vector<int> &edges, int hlc_plan_info::*route);
  void arrange();
  void begin_round();
  Status send_edges(Leg &leg);
  Status send_edge(Leg &leg, int edge);
  Status wait_for_place(Leg &leg, int edge, void **buffer);
  template <class Take>
  Status collect(bool *progress, Take take_come);
  Status look(bool *progress);
  Status take_early();
  Status take_in_order();
  Status take(Leg &from, Edges edges);
  Status find(const Leg &leg, Edges edges);
  void show(Leg &leg, Edges edges);
  Status give_back();
  Status wait_for_all();
  Status close_all();
  Status close_each(int *rank);
  template <class Step, class Suspect>
  Status wait_until(Step step, Suspect suspect);
  template <class Suspect>
  Status judge(Suspect suspect, bool timed_out);
  Status name_peer(Status status, int edge) const;
  std::string where(int rank) const;
  std::string swap_text() const;
  Status suspect_rank(int rank, Member member, bool timed_out);
  Status suspect_missing(bool timed_out);
  Status look_for_lost();
  Status suspect_partners();
  Status suspect_all(int rank, bool timed_out);
  Status suspect_peers(bool timed_out);
  Status mark_broken(Status status) { return failed(status) ? break_off(status) : status; }
  Status break_off(Status status);

  Cargo &owner_;
  const Refusals &refusals_;
  Cargo *cargo_;  // the owner, or what puts stamps on its messages
  Plan plan_;
  std::unique_ptr<Check> check_;
  std::vector<std::unique_ptr<Leg>> legs_;
  std::vector<std::size_t> leg_of_;
  std::vector<int hlc_plan_info::*> routes_;  // per leg: which count of the info its edges belong to
  WakeUp wake_up_ = WakeUp::by_bell;
  bool knows_who_ = true;  // every leg can tell which neighbour is late

  std::uint64_t round_ = 0;
  std::vector<std::uint64_t> came_;  // per edge: the last round in which its data have come
  std::vector<bool> awaited_;  // per edge: it brings something in rounds with these parts
  int awaited_edges_ = 0;
  bool arranged_ = false;  // what a round needs to know of its parts has been found
  std::vector<int> early_;  // come before finish, in order of arrival
  int next_ = 0;  // in order: the first edge that has not been unpacked
  std::vector<int> shown_;  // views are out of these edges
  int left_ = 0;  // edges whose data have not been unpacked
  int missing_ = 0;  // edges whose data have not come
  int dead_ = -1;  // a rank of this node whose process has ended
  bool in_flight_ = false, broken_ = false, in_order_ = false;
  // How far the finish of the round has come.
  bool copied_ = false, announced_ = false;
  Status looked_ = Status::ok;
};

}  // namespace halocline
