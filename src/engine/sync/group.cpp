// The collective calls of a group: their order, the dissemination barrier, and members that are lost.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/sync/group.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "engine/network/request_engine.hpp"

namespace halocline::core {

void Group::define(GroupMembers members) {
  stage_ = Stage::defined;
  members_ = std::move(members);
  call_ = Call::none;
  broken_ = false;
}

/// A slow member may still be in a collective call that this rank has left, and write to the words. Then no other group gets these. A group
/// that one rank has committed has been found by all, and so needs its record no more.
void Group::remove(GroupResources &resources) {
  if (call_ == Call::commit) break_off(resources);
  if (stage_ == Stage::committed) {
    links_.withdraw(resources);
    resources.commits.keep_handle(links_.handle(), broken_ || call_ != Call::none || has_lost_members(resources));
  }
  stage_ = Stage::none;
  call_ = Call::none;
}

template <class Work>
Status Group::go_on(GroupResources &resources, Call call, const char *name, Work work) {
  const bool begins = call_ == Call::none;
  if (begins) begun_ = false, call_ = call;
  Status status = begins ? look_for_lost(resources, name) : Status::ok;
  if (status == Status::ok) status = work();
  // What a member did before it was lost still counts.
  if (const Status lost = status == Status::again ? look_for_lost(resources, name) : Status::ok; failed(lost)) status = lost;
  if (failed(status)) break_off(resources);
  if (status != Status::again) call_ = Call::none;
  return status;
}

Status Group::commit(GroupResources &resources, int handle) {
  if (call_ == Call::none) links_.restart();
  return go_on(resources, Call::commit, resources.calls.commit, [&] { return commit_on(resources, handle); });
}

Status Group::barrier(GroupResources &resources) {
  return go_on(resources, Call::barrier, resources.calls.barrier, [&] { return barrier_on(resources); });
}

Status Group::reduce(GroupResources &resources, const SmallReduction &reduction) {
  return go_on(resources, Call::reduction, resources.calls.reduction, [&] { return reduce_on(resources, reduction); });
}

/// Ends a collective call before it is complete.
void Group::break_off(GroupResources &resources) {
  broken_ = true;
  if (call_ == Call::commit) links_.give_up(resources, members_);
}

bool Group::has_lost_members(GroupResources &resources) const {
  if (!resources.watch.knows_any() || members_.are_all()) return false;
  for (int index = 0; index < members_.size(); ++index)
    if (resources.watch.is_lost(members_.rank_at(index))) return true;
  return false;
}

Status Group::look_for_lost(GroupResources &resources, const char *call) const {
  if (!resources.watch.knows_any()) return Status::ok;
  for (int index = 0; index < members_.size(); ++index) HLC_TRY(resources.watch.report(call, members_.rank_at(index)));
  return Status::ok;
}

Status Group::commit_on(GroupResources &resources, int handle) {
  if (!begun_) {
    if (const Status connected = links_.connect(resources, members_, handle); connected != Status::ok) return connected;
    reduction_.open(resources.layout);
    number_ = 1;
    rounds_.restart();
    begun_ = true;
  }
  const Status passed = pass_rounds(resources, resources.calls.commit);
  if (passed == Status::ok) stage_ = Stage::committed;
  return passed;
}

/// The first steps of a collective call: waits until data written to the members have arrived.
Status Group::confirm_writes(GroupResources &resources, const char *call) {
  if (!begun_) {
    writes_.clear();
    resources.written.move(members_, writes_);
    number_ += 1;
    rounds_.restart();
    begun_ = true;
  }
  return writes_.look(resources.network.requests(), call);
}

Status Group::pass_rounds(GroupResources &resources, const char *call) {
  const GroupLayout &layout = resources.layout;
  const auto notify = [&](int round) {
    const GroupPartner &above = links_.above(round);
    if (const Status room = above.memory->find_room(call); room != Status::ok) return room;
    // SYNC barrier-round (pairs with has_arrived of the rank above)
    return raise_word(call, *above.memory, {layout.barrier_word(above.handle, round), number_});
  };
  const auto await = [&](int round) {
    // SYNC barrier-round, later-before-earlier (pair with the rank below)
    return resources.has_arrived(layout.barrier_word(links_.handle(), round), number_) ? Status::ok : Status::again;
  };
  const Status passed = rounds_.pass(links_.rounds(), notify, await);
  return passed == Status::ok ? resources.test_outgoing(call) : passed;
}

Status Group::barrier_on(GroupResources &resources) {
  if (const Status confirmed = confirm_writes(resources, resources.calls.barrier); confirmed != Status::ok) return confirmed;
  // SYNC put-before-flush (pairs with has_arrived of the rank above)
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return pass_rounds(resources, resources.calls.barrier);
}

Status Group::reduce_on(GroupResources &resources, const SmallReduction &reduction) {
  if (!begun_) reduction_.begin(reduction);
  if (const Status confirmed = confirm_writes(resources, resources.calls.reduction); confirmed != Status::ok) return confirmed;
  // SYNC put-before-flush (pairs with has_arrived of the rank that takes the value)
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return reduction_.go_on(resources, links_, reduction);
}

}  // namespace halocline::core
