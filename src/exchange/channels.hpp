// The channels of an exchange: which of them carries which edge, decided once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "exchange/channel.hpp"

namespace halocline {

class Channels {
 public:
  explicit Channels(Plan &plan) : plan_(plan) {}
  Channels(const Channels &) = delete;
  Channels &operator=(const Channels &) = delete;

  /// Makes the channels that the mode has for these edges, which have been joined. Collective; the same status on all ranks.
  Status create();
  /// Frees what they have made. Collective.
  void end() { channels_.clear(); }
  /// A round has failed: whatever MPI or the network may still write is given up, not freed.
  void give_up();

  const std::vector<std::unique_ptr<Channel>> &all() const { return channels_; }
  Channel &of(int edge) const { return *channels_[channel_of_[static_cast<std::size_t>(edge)]]; }
  /// Wakes the peers that sleep and have been told something.
  void wake_peers() const {
    for (const auto &channel : channels_) channel->wake_peers();
  }

  /// A channel waits inside MPI when it is asked what has come.
  bool blocks() const { return blocks_; }
  /// Every channel can tell which neighbour is late.
  bool knows_who() const { return knows_who_; }
  /// What ends a pause of whoever waits for them.
  WakeUp wake_up() const { return wake_up_; }
  /// MPI knows its call and not the neighbour: a failure of it becomes one that names both. An edge below 0: nobody knows which.
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
  bool blocks_ = false, knows_who_ = true;
};

}  // namespace halocline
