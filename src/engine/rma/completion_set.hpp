// The completion of a set of requests, such as those of a queue or an epoch. It notes the ranks of other nodes that they went to, and
// failures; its caller continues the wait. Requests to ranks of this node are complete when they have been posted. RequestEngine knows no
// sets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "base/status.hpp"
#include "engine/network/pending.hpp"
#include "engine/rma/rank_set.hpp"

namespace halocline::core {

class RequestEngine;

/// local: the bytes at the origin are no longer in use. remote: the target has it all.
enum class Completion { local, remote };

/// Any thread may call.
class CompletionSet {
 public:
  explicit CompletionSet(Completion completion = Completion::local) : completion_(completion) {}

  /// Notes that a request to a rank of another node has begun.
  void note(int rank);
  /// Notes that a request to any rank has failed, with this thread's message. The set keeps the first failure of each rank.
  void note_failure(Status why, int rank);
  /// Adds flushes that have begun.
  void add(std::vector<Flush> flushes);

  /// Tests for the completion of what has been noted so far: `again` until then. Fails if a request has failed, with the status and the
  /// message of the first failure; the next call does, too. `requests` may be null where there are no other nodes.
  Status look(RequestEngine *requests, const char *call);
  /// Forgets the first failure and fails as look did; ok if there is none. What has not failed is still noted.
  Status take_failure();
  /// Ranks to which a request has failed.
  std::vector<int> failed_ranks();
  /// Forgets all that has been noted.
  void clear();

 private:
  struct Failure {
    int rank;
    Status why;
    std::string message;

    Status report() const { return fail(why, "%s", message.c_str()); }
  };

  void keep_failure(Status why, int rank) HLC_REQUIRES(mutex_);

  const Completion completion_;
  Mutex mutex_;  // of what follows
  RankSet noted_ HLC_GUARDED_BY(mutex_);
  std::vector<Flush> flushes_ HLC_GUARDED_BY(mutex_);
  std::vector<Failure> failures_ HLC_GUARDED_BY(mutex_);  // the first one of each rank
};

/// Ranks of other nodes with writes that no collective call has confirmed yet. Any thread may call.
class WrittenRanks {
 public:
  void note(int rank) {
    const Lock lock(mutex_);
    ranks_.add(rank);
  }
  /// Removes those that are members of a group, and notes them in a set.
  template <class Members>
  void move(const Members &members, CompletionSet &into) {
    const Lock lock(mutex_);
    for (int index = 0; index < members.size() && !ranks_.empty(); ++index) {
      const int rank = members.rank_at(index);
      if (ranks_.contains(rank)) into.note(rank);
      ranks_.remove(rank);
    }
  }

 private:
  Mutex mutex_;
  RankSet ranks_ HLC_GUARDED_BY(mutex_);
};

}  // namespace halocline::core
