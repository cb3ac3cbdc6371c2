// The arrivals of a round: which edges are awaited, which have arrived, and which the owner of the data has received.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "exchange/channels.hpp"
#include "exchange/packer.hpp"
#include "exchange/round_trace.hpp"

namespace halocline::core {

class Arrivals {
 public:
  Arrivals(Plan &plan, const Channels &channels, Packer &owner, RoundTrace &trace)
      : plan_(plan), channels_(channels), packer_(&owner), trace_(trace) {}
  Arrivals(const Arrivals &) = delete;
  Arrivals &operator=(const Arrivals &) = delete;

  /// Makes room for the plan's edges.
  void make_tables();
  /// The packer that receives what arrives.
  void hand_to(Packer &packer) { packer_ = &packer; }
  /// The plan's parts are other ones than in the last round.
  void parts_changed() { arranged_ = false; }
  /// Unpack by edge index, not by arrival.
  void set_order(bool in_order) { in_order_ = in_order; }

  /// A round begins.
  void begin() {
    if (!arranged_) arrange();
    round_ += 1;
    next_ = 0;
    left_ = missing_ = awaited_edges_;
  }
  /// Polls for arrivals, and leaves the data where they are. In modes whose steps wait inside MPI it polls nothing.
  Status poll();
  /// Hands over what poll has found.
  Status take_arrived() { return in_order_ ? take_in_order() : take_early(); }
  /// Polls, and hands over what has arrived; ok once that is everything.
  Status look(bool *progress);
  /// Releases what was shown: its owners may overwrite it.
  Status release_shown();
  /// The same, and no views are out any more.
  Status release_views();

  /// The data of an edge have not arrived.
  bool is_missing(std::size_t edge) const { return awaited_[edge] && arrived_[edge] != round_; }
  bool all_taken() const { return left_ == 0; }

 private:
  void arrange();
  template <class Take>
  Status collect(bool *progress, Take take_arrived);
  Status take_early();
  Status take_in_order();
  Status take(Channel &from, Edges edges);
  Status take_recorded(Channel &from, Edges edges);
  Status hand_over(Channel &from, Edges edges);
  Status find(const Channel &from, Edges edges);
  void show(Channel &from, Edges edges);

  Plan &plan_;
  const Channels &channels_;
  Packer *packer_;  // the owner of the data, or what takes stamps off its messages
  RoundTrace &trace_;

  std::uint64_t round_ = 0;
  std::vector<std::uint64_t> arrived_;  // per edge: the last round in which its data have arrived
  std::vector<bool> awaited_;        // per edge: it receives data in rounds with these parts
  int awaited_edges_ = 0;
  bool arranged_ = false, in_order_ = false;  // arranged: awaited_ and awaited_edges_ match the parts
  std::vector<int> early_;                    // arrived before finish, in order of arrival
  int next_ = 0;                              // in order: the first edge that has not been unpacked
  std::vector<int> shown_;                    // views are out of these edges
  int left_ = 0;                              // edges whose data have not been unpacked
  int missing_ = 0;                           // edges whose data have not arrived
};

}  // namespace halocline::core
