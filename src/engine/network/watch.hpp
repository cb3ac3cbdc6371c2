// The ranks that are known to be lost, and which of these losses have been reported to the program. For faces whose calls continue after a loss.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "engine/communicator/topology.hpp"
#include "engine/network/network.hpp"

namespace halocline::core {

/// Any thread may call, except open.
class Watch {
 public:
  explicit Watch(Network &network) : network_(network), communicator_(network.communicator()) {}
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;
  /// The context is open.
  void open();

  /// Looks for ranks of the node that have ended. On other nodes: for ranks to which a request has failed, or that are not reached any
  /// more. Fails only if no rank can be reached any more.
  Status look(const char *call);
  /// The same for one rank of the node, but not more often than every kMinPollInterval_ns; true if it is lost.
  bool poll_sometimes(Member member);
  /// The same for any rank, at once.
  bool has_lost(int rank, const char *call);

  bool knows_any() const { return count() > 0; }
  bool is_lost(int rank);
  /// Number of ranks lost so far.
  int count() const { return count_.load(std::memory_order_acquire); }

  /// Fails, naming the first such loss, if more than `since` ranks are lost, or a loss has not been reported to the program.
  Status send_notice(const char *call, int since);
  /// Fails if a rank is lost, and notes that this has been reported to the program.
  Status report(const char *call, int rank);
  /// Notes that all losses have been reported to the program by other means.
  void mark_all_reported();

 private:
  struct Loss {
    int rank;
    std::string why;
    bool reported;
  };
  static constexpr std::int64_t kMinPollInterval_ns = 20'000'000;

  void look_at(Member member) HLC_REQUIRES(mutex_);
  void look_at_others(const char *call, RequestEngine &requests) HLC_REQUIRES(mutex_);
  void note(int rank, std::string why) HLC_REQUIRES(mutex_);
  Loss *find(int rank) HLC_REQUIRES(mutex_);
  Status name(const char *call, Loss &loss) const HLC_REQUIRES(mutex_);

  Network &network_;
  Communicator &communicator_;
  std::vector<int> ranks_;  // of the node, by member
  std::unique_ptr<std::atomic<std::int64_t>[]> looked_ns_;  // by member
  std::atomic<int> count_{0};
  Mutex mutex_;  // of what follows
  std::vector<Loss> losses_ HLC_GUARDED_BY(mutex_);
};

}  // namespace halocline::core
