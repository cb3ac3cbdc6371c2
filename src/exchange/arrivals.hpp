// What comes in a round: which edges are awaited, which have come, and which the owner of the data has got.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "exchange/channels.hpp"
#include "exchange/packer.hpp"

namespace halocline {

class Arrivals {
 public:
  Arrivals(Plan &plan, const Channels &channels, Packer &owner) : plan_(plan), channels_(channels), packer_(&owner) {}
  Arrivals(const Arrivals &) = delete;
  Arrivals &operator=(const Arrivals &) = delete;

  /// Makes room for the plan's edges.
  void make_tables();
  /// Who gets what comes.
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
  /// Asks for what has come, and leaves it where it is. In modes whose steps wait inside MPI it asks for nothing.
  Status poll();
  /// Hands over what came before.
  Status take_come() { return in_order_ ? take_in_order() : take_early(); }
  /// Asks, and hands over what has come; ok once that is everything.
  Status look(bool *progress);
  /// Gives back what was shown: it may be overwritten by those whose it is.
  Status release_views();

  /// The data of an edge have not come.
  bool is_missing(std::size_t edge) const { return awaited_[edge] && came_[edge] != round_; }
  bool all_taken() const { return left_ == 0; }

 private:
  void arrange();
  template <class Take>
  Status collect(bool *progress, Take take_come);
  Status take_early();
  Status take_in_order();
  Status take(Channel &from, Edges edges);
  Status find(const Channel &from, Edges edges);
  void show(Channel &from, Edges edges);

  Plan &plan_;
  const Channels &channels_;
  Packer *packer_;  // the owner of the data, or what takes stamps off its messages

  std::uint64_t round_ = 0;
  std::vector<std::uint64_t> came_;  // per edge: the last round in which its data have come
  std::vector<bool> awaited_;        // per edge: it brings something in rounds with these parts
  int awaited_edges_ = 0;
  bool arranged_ = false, in_order_ = false;  // arranged: what a round needs to know of its parts has been found
  std::vector<int> early_;                    // come before finish, in order of arrival
  int next_ = 0;                              // in order: the first edge that has not been unpacked
  std::vector<int> shown_;                    // views are out of these edges
  int left_ = 0;                              // edges whose data have not been unpacked
  int missing_ = 0;                           // edges whose data have not come
};

}  // namespace halocline
