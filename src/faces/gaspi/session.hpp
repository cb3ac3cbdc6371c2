// What the components of a job share: the ranks, the known losses, each rank's control part, and the ranks that were written to. They use
// this class and not Job, which consists of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>
#include <set>
#include <vector>

#include "faces/gaspi/commits.hpp"
#include "faces/gaspi/parts.hpp"
#include "faces/gaspi/watch.hpp"

namespace halocline::core::gaspi {

/// Ranks of other nodes with writes that no collective call has confirmed yet. Any thread may call.
class WrittenRanks {
 public:
  void note(int rank) {
    const std::lock_guard lock(mutex_);
    ranks_.insert(rank);
  }
  /// Removes and returns those that are in a group of `members` ranks.
  template <class RankAt>
  std::vector<int> take(int members, RankAt rank_at) {
    const std::lock_guard lock(mutex_);
    std::vector<int> taken;
    for (int index = 0; index < members && !ranks_.empty(); ++index)
      if (ranks_.erase(rank_at(index)) > 0) taken.push_back(rank_at(index));
    return taken;
  }

 private:
  std::mutex mutex_;
  std::set<int> ranks_;
};

class Session {
 public:
  explicit Session(const gaspi_config_t &chosen) : config(chosen), parts(context), watch(context), plan_(chosen, 1) {}
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  int rank() const { return context.rank(); }
  int size() const { return context.size(); }
  const Plan &plan() const { return plan_; }

  Context context;
  const gaspi_config_t config;
  Parts parts;
  Watch watch;
  Commits commits;
  WrittenRanks written;

 protected:
  ~Session() = default;
  /// The context is open; the layout depends on the number of ranks. Collective, the same status on all ranks.
  Status open_parts() {
    plan_ = Plan(config, context.size());
    return parts.open(plan_);
  }

 private:
  Plan plan_;
};

}  // namespace halocline::core::gaspi
