// An exchange: edges to neighbours, the legs that carry them, and the order in which things happen in start, test and finish.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "exchange/leg.hpp"

namespace halocline {

/// Whoever owns the data: packs and unpacks, or copies straight from the neighbour where the edge is read directly.
class Cargo {
 public:
  virtual ~Cargo() = default;
  /// past_caches: written for another core, it had better not stay in this core's caches.
  virtual void pack(int edge, void *buffer, bool past_caches) = 0;
  virtual void unpack(int edge, const void *buffer) = 0;
  virtual void pull(int edge) = 0;
  /// True if pack heeds past_caches.
  virtual bool copies_cells() const { return false; }
  /// Called once at creation, after the edges have been joined: which can be read directly is known, so addresses can be exchanged.
  virtual Status joined(const Plan &) { return Status::ok; }
};

/// One plan for many rounds. Not thread-safe in itself; several exchanges are independent of each other.
class Exchange {
 public:
  explicit Exchange(Cargo &cargo) : cargo_(cargo) {}
  Exchange(const Exchange &) = delete;
  Exchange &operator=(const Exchange &) = delete;
  ~Exchange() { static_cast<void>(end()); }

  /// Plans. Collective; edges[e].rank is never the caller's own.
  Status create(Context &context, Options options, std::vector<Edge> edges);

  /// What the next round moves over each edge; unchanged until it is set again.
  std::vector<Part> &parts() { return plan_.parts; }
  /// True if parts are as planned on all ranks; in_order: unpack by edge index, not by arrival, so that sums are reproducible.
  void set_round(bool whole, bool in_order) {
    plan_.whole_round = whole;
    in_order_ = in_order;
  }

  /// Gives everything back. Collective; fails if a rank does not come.
  Status end();

  Status start();
  Status test();
  /// Waits for the data, unpacks, and waits until my own are needed no more.
  Status finish();

  bool in_flight() const { return in_flight_; }
  bool broken() const { return broken_; }
  const Plan &plan() const { return plan_; }
  /// Fills the parts of the info that an exchange knows.
  void describe(hlc_plan_info &info) const;

 private:
  /// A leg of the exchange, by edge: leg_of_[edge].
  Leg &leg(int edge) { return *legs_[leg_of_[static_cast<std::size_t>(edge)]]; }
  Status make_tables();
  Status check_sizes() const;
  Status make_legs();
  Status report_detours() const;
  Status add_leg(MakeLeg make, const std::vector<int> &edges, int hlc_plan_info::*route);
  Status send_edge(int edge);
  Status collect(bool *progress);
  Status unpack_arrived();
  Status unpack(int edge);
  Status wait_for_all();
  Status close_all();
  template <class Step, class Suspect>
  Status wait_until(Step step, Suspect suspect);
  Status suspect_rank(int rank, Member member, bool timed_out) const;
  Status suspect_missing(bool timed_out) const;
  Status suspect_all(int rank, bool timed_out) const;
  Status mark_broken(Status status);

  Cargo &cargo_;
  Plan plan_;
  std::vector<std::unique_ptr<Leg>> legs_;
  std::vector<std::size_t> leg_of_;
  std::vector<int hlc_plan_info::*> routes_;  // per leg: which count of the info its edges belong to
  WakeUp wake_up_ = WakeUp::by_bell;
  bool knows_who_ = true;                     // every leg can tell which neighbour is late

  enum class Arrival : char { none, missing, here, unpacked };
  std::vector<Arrival> arrival_;  // per edge, of the running round
  std::vector<int> queue_;        // arrived, not yet unpacked, in order of arrival
  int left_ = 0;                  // edges whose data have not been unpacked
  int missing_ = 0;               // edges whose data have not come
  bool in_flight_ = false, broken_ = false, in_order_ = false;
};

}  // namespace halocline
