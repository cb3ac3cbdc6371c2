// How a member of a group reaches those that it writes to: their control memory. There it looks up their handles of the group.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "engine/network/watch.hpp"
#include "engine/rma/completion_set.hpp"
#include "engine/rma/control_memory.hpp"
#include "engine/rma/operations.hpp"
#include "engine/sync/commits.hpp"
#include "engine/sync/group_layout.hpp"
#include "engine/sync/group_members.hpp"

namespace halocline::core {

/// The names of a group's collective calls in messages.
struct GroupCalls {
  const char *commit, *barrier, *reduction;
};

/// What the groups of a process share.
struct GroupResources {
  GroupResources(const GroupCalls &names, Network &over, ControlMemory &memory, Watch &watched)
      : calls(names), network(over), control(memory), watch(watched) {}

  int rank() const { return network.communicator().rank(); }
  const NotificationWords &words() const { return control.mine().words(); }
  /// True once a word of this rank has reached a number, which wraps around.
  bool has_arrived(int word, std::uint32_t number) const { return words().has_risen(word, number); }
  /// As RequestEngine::test_outgoing.
  Status test_outgoing(const char *call) const;

  const GroupCalls calls;
  Network &network;
  ControlMemory &control;
  Watch &watch;
  GroupLayout layout;  // of the control memory, set before the first group is used
  WrittenRanks written;  // each barrier and reduction of a group confirms the writes to its members
  Commits commits;
};

/// A member that this one writes to.
struct GroupPartner {
  RemoteMemory *memory = nullptr;
  int handle = -1;  // its handle of the group
  bool asked = false;  // a read of its records is under way
  Flush flush;
  std::vector<std::uint64_t> records;
};

/// One thread at a time.
class GroupLinks {
 public:
  /// Begins a commit. `connect` finds all partners: `again` until each of them has published its handle.
  void restart() { begun_ = false; }
  Status connect(GroupResources &resources, const GroupMembers &members, int handle);
  /// Notes a commit that ends before it is complete.
  void give_up(GroupResources &resources, const GroupMembers &members);
  /// Takes back what this rank has published. A group that one rank has committed has been found by all.
  void withdraw(GroupResources &resources) const;

  int handle() const { return handle_; }
  int index() const { return index_; }
  int size() const { return size_; }
  int rounds() const { return static_cast<int>(above_.size()); }
  /// The member 2^round above, modulo the size.
  GroupPartner &above(int round) { return above_[static_cast<std::size_t>(round)]; }
  /// The member below in the tree of reductions.
  GroupPartner &below() { return below_; }

 private:
  static constexpr int kProbed = 64;  // most members of a group in which each probes all

  Status begin(GroupResources &resources, const GroupMembers &members, int handle);
  Status publish(GroupResources &resources, const GroupMembers &members);
  void name_attempt(GroupResources &resources, const GroupMembers &members);
  void lower_words(const GroupResources &resources) const;
  Status choose_partners(GroupResources &resources, const GroupMembers &members);
  Status probe_others(const GroupResources &resources, const GroupMembers &members) const;
  Status find_handle(GroupResources &resources, GroupPartner &partner);
  Status find_handles(GroupResources &resources);
  Status read_records(GroupResources &resources, GroupPartner &partner);
  Status end_queries(GroupResources &resources);
  Status begin_next(GroupResources &resources, int handle);

  int handle_ = 0, index_ = 0, size_ = 0;
  bool begun_ = false;
  bool for_all_ = false;  // the group of all ranks
  Attempt attempt_;  // to commit it
  bool resumes_ = false;  // continues an abandoned commit
  bool passed_by_ = false;  // others have completed it
  std::uint64_t name_ = 0, next_name_ = 0;  // what its members write to their records; the same for their next group
  GroupPartner below_;
  std::vector<GroupPartner> above_;
};

}  // namespace halocline::core
