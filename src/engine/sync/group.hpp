// A group of ranks and its collective calls. Each call advances the collective operation as far as possible, and returns `again` until it
// is complete. The next call with the same arguments continues it. No call waits, and no rank outside the group takes part.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/sync/group_reduction.hpp"

namespace halocline::core {

/// One thread at a time, except for const functions.
class Group {
 public:
  enum class Stage { none, defined, committed };
  enum class Call { none, commit, barrier, reduction };

  void define(GroupMembers members);
  Stage stage() const { return stage_; }
  const GroupMembers &members() const { return members_; }
  /// False if the rank is a member already.
  bool add(int rank) { return members_.add(rank); }
  void remove(GroupResources &resources);

  /// True while another call has begun and has not ended.
  bool is_busy(Call call) const { return call_ != Call::none && call_ != call; }
  /// Finds the other members, all of which call this with the same list; each knows the group by a handle of its own. A failure of any of
  /// the calls ends it, too.
  Status commit(GroupResources &resources, int handle);
  /// Returns ok once all members have begun it, and what this rank has written to members has arrived.
  Status barrier(GroupResources &resources);
  /// The same result, bit by bit, on all members. What this rank has written to members has arrived.
  Status reduce(GroupResources &resources, const SmallReduction &reduction);

 private:
  template <class Work>
  Status go_on(GroupResources &resources, Call call, const char *name, Work work);
  void break_off(GroupResources &resources);
  bool has_lost_members(GroupResources &resources) const;
  Status look_for_lost(GroupResources &resources, const char *call) const;
  Status commit_on(GroupResources &resources, int handle);
  Status barrier_on(GroupResources &resources);
  Status reduce_on(GroupResources &resources, const SmallReduction &reduction);
  Status confirm_writes(GroupResources &resources, const char *call);
  Status pass_rounds(GroupResources &resources, const char *call);

  Stage stage_ = Stage::none;
  GroupMembers members_;
  GroupLinks links_;
  bool broken_ = false;  // a collective call has failed

  Call call_ = Call::none;
  bool begun_ = false;  // the current call has noted the writes that it confirms; a commit: has found the partners
  std::uint32_t number_ = 0;  // of the last collective call
  RoundsPassed rounds_;
  CompletionSet writes_{Completion::remote};
  GroupReduction reduction_;
};

}  // namespace halocline::core
