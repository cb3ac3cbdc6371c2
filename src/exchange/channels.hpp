// The channels of an exchange: which of them carries which edge, decided once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exchange/channel.hpp"

namespace halocline::core {

class Channels {
 public:
  explicit Channels(Plan &plan) : plan_(plan) {}
  Channels(const Channels &) = delete;
  Channels &operator=(const Channels &) = delete;

  /// Makes the channels that the mode has for these edges, which have been joined. Collective; the same status on all ranks.
  Status create();
  /// Destroys the channels. Collective.
  void end() { channels_.clear(); }
  /// Destroys them without the other ranks, which have finished their last round, if each of them allows that. True if they are gone.
  bool end_alone();
  /// A round has failed: memory that MPI or the network may still write is leaked, not freed.
  void give_up();

  const std::vector<std::unique_ptr<Channel>> &all() const { return channels_; }
  Channel &of(int edge) const { return *channels_[channel_of_[static_cast<std::size_t>(edge)]]; }
  /// Wakes the sleeping peers that have been notified.
  void wake_peers() const {
    for (const auto &channel : channels_) channel->wake_peers();
  }

  /// A channel waits inside MPI when it is polled for arrivals.
  bool blocks() const { return blocks_; }
  /// Every channel can tell which neighbour is late.
  bool knows_who() const { return knows_who_; }
  /// What ends a pause of a rank that waits for them.
  WakeUp wake_up() const { return wake_up_; }
  /// MPI's error names its call but not the neighbour: it becomes an error that names both. An edge below 0: it is not known which.
  Status name_peer(Status status, int edge) const;
  /// Fills the parts of the info that they know.
  void describe(hlc_plan_info &info) const;

 private:
  Status make_far_channel(const std::vector<int> &far);
  Status add(MakeChannel make, const std::vector<int> &edges, int hlc_plan_info::*route);
  Status report_detours() const;

  Plan &plan_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<std::size_t> channel_of_;           // by edge
  std::vector<int hlc_plan_info::*> routes_;  // per channel: which count of the info its edges belong to
  WakeUp wake_up_ = WakeUp::by_doorbell;
  bool blocks_ = false, knows_who_ = true, ends_alone_ = true;
};

}  // namespace halocline::core
