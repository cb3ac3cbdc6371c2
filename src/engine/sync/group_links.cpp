// Publishing a handle, and finding those of the partners.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/sync/group_links.hpp"

#include <algorithm>
#include <atomic>

#include "engine/network/request_engine.hpp"

namespace halocline::core {
namespace {

std::atomic_ref<std::uint64_t> record_of(GroupResources &resources, int handle) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t *>(resources.control.mine().data() + resources.layout.record(handle)));
}

/// Never 0, which stands for no group.
std::uint64_t name_of(std::uint64_t members, std::uint64_t count) { return mix(members, count) | 1; }

}  // namespace

Status GroupResources::test_outgoing(const char *call) const {
  return network.requests() ? network.requests()->test_outgoing(call) : Status::ok;
}

Status GroupLinks::connect(GroupResources &resources, const GroupMembers &members, int handle) {
  if (!begun_)
    if (const Status begun = begin(resources, members, handle); begun != Status::ok) return begun;
  begun_ = true;
  const Status found = find_handles(resources);
  return found != Status::ok && passed_by_ ? begin_next(resources, handle) : found;
}

Status GroupLinks::begin(GroupResources &resources, const GroupMembers &members, int handle) {
  if (const Status over = end_queries(resources); over != Status::ok) return over;
  handle_ = handle;
  index_ = members.index_of(resources.rank());
  size_ = members.size();
  for_all_ = members.are_all();
  HLC_TRY(choose_partners(resources, members));
  return publish(resources, members);
}

void GroupLinks::give_up(GroupResources &resources, const GroupMembers &members) {
  if (begun_ && !members.are_all()) resources.commits.give_up(attempt_);
}

void GroupLinks::withdraw(GroupResources &resources) const { record_of(resources, handle_).store(0, std::memory_order_relaxed); }

/// Finds out which commit of these members this is. An abandoned one is continued with the handle and the words that it had: others may
/// know the handle, and have written to the words.
void GroupLinks::name_attempt(GroupResources &resources, const GroupMembers &members) {
  const std::uint64_t hash = members.hash();
  passed_by_ = false;
  resumes_ = resources.commits.take_given_up(hash, &attempt_);
  if (!resumes_) attempt_ = {hash, resources.commits.count(hash), handle_};
  handle_ = attempt_.handle;
  name_ = name_of(hash, attempt_.count);
  next_name_ = name_of(hash, attempt_.count + 1);
}

void GroupLinks::lower_words(const GroupResources &resources) const {
  const GroupLayout &layout = resources.layout;
  for (int round = 0; round <= layout.rounds(); ++round)
    for (const int word : {layout.barrier_word(handle_, round), layout.reduction_word(handle_, round), layout.taken_word(handle_, round)})
      resources.words().lower(word);
}

/// Publishes this rank's handle of the group. No rank writes to the group's words before it knows the handle. The group of all ranks has
/// the same handle everywhere.
Status GroupLinks::publish(GroupResources &resources, const GroupMembers &members) {
  if (for_all_) return Status::ok;
  name_attempt(resources, members);
  if (!resumes_ && resources.commits.keeps_handle(handle_))
    return fail(Status::state, "%s on rank %d: an earlier commit of the group failed; create the group again", resources.calls.commit,
                resources.rank());
  if (!resumes_) lower_words(resources);
  // SYNC words-before-record (pairs with find_handle): the words hold nothing of an earlier group when another rank learns of this one.
  record_of(resources, handle_).store(name_, std::memory_order_release);
  return Status::ok;
}

Status GroupLinks::choose_partners(GroupResources &resources, const GroupMembers &members) {
  const Dissemination order(index_, size_);
  const auto find = [&](int index, GroupPartner *partner) {
    *partner = GroupPartner();
    return resources.control.find(members.rank_at(index), &partner->memory);
  };
  above_.resize(static_cast<std::size_t>(order.rounds()));
  for (int round = 0; round < rounds(); ++round) HLC_TRY(find(order.above(round), &above(round)));
  HLC_TRY(find(index_ & (index_ - 1), &below_));
  return probe_others(resources, members);
}

/// Probes also the ranks that this rank only waits for, and those that these wait for. A rank that is notified of a loss does not pass it on.
/// In a large group these would be too many, and only the first kind is probed.
Status GroupLinks::probe_others(const GroupResources &resources, const GroupMembers &members) const {
  RequestEngine *requests = resources.network.requests();
  if (!requests || size_ == 1) return Status::ok;
  const auto meet = [&](int index) {
    const int rank = members.rank_at(index);
    return resources.network.communicator().member_of(rank) == kNotOnNode ? requests->meet(rank) : Status::ok;
  };
  if (size_ <= kProbed) {
    for (int index = 0; index < size_; ++index) HLC_TRY(meet(index));
    return Status::ok;
  }
  const Dissemination order(index_, size_);
  for (int round = 0; round < order.rounds(); ++round) HLC_TRY(meet(order.below(round)));
  return Status::ok;
}

/// Returns ok once the reads of an abandoned commit have ended, so that their memory is free; `again` until then.
Status GroupLinks::end_queries(GroupResources &resources) {
  const auto end = [&](GroupPartner &partner) {
    if (!partner.asked || partner.memory->is_near()) return false;
    partner.asked = resources.network.requests()->look(partner.flush, resources.calls.commit) == Status::again;
    return partner.asked;
  };
  if (std::any_of(above_.begin(), above_.end(), end) || end(below_)) return Status::again;
  return Status::ok;
}

/// Begins a read of all records of a partner.
Status GroupLinks::read_records(GroupResources &resources, GroupPartner &partner) {
  const char *call = resources.calls.commit;
  if (const Status room = partner.memory->find_room(call); room != Status::ok) return room;
  partner.records.resize(static_cast<std::size_t>(resources.layout.groups()));
  const auto bytes = static_cast<std::int64_t>(partner.records.size() * sizeof(std::uint64_t));
  HLC_TRY(get(call, Target{*partner.memory, resources.layout.record(0)}, {partner.records.data(), bytes}));
  if (!partner.memory->is_near()) partner.flush = resources.network.requests()->begin_flush(partner.memory->rank(), false);
  partner.asked = true;
  return Status::ok;
}

/// Looks for the group among the records of a partner; `again` until the partner has published it there.
Status GroupLinks::find_handle(GroupResources &resources, GroupPartner &partner) {
  if (partner.handle >= 0) return Status::ok;
  if (for_all_) {
    partner.handle = handle_;
    return Status::ok;
  }
  if (!partner.asked)
    if (const Status asked = read_records(resources, partner); asked != Status::ok) return asked;
  if (!partner.memory->is_near())
    if (const Status flushed = resources.network.requests()->look(partner.flush, resources.calls.commit); flushed != Status::ok)
      return flushed;
  partner.asked = false;
  // SYNC words-before-record (pairs with publish)
  std::atomic_thread_fence(std::memory_order_acquire);
  const auto found = std::find(partner.records.begin(), partner.records.end(), name_);
  if (found == partner.records.end()) {
    passed_by_ = resumes_ && std::find(partner.records.begin(), partner.records.end(), next_name_) != partner.records.end();
    return Status::again;
  }
  partner.handle = static_cast<int>(found - partner.records.begin());
  return Status::ok;
}

Status GroupLinks::find_handles(GroupResources &resources) {
  for (GroupPartner &partner : above_)
    if (const Status found = find_handle(resources, partner); found != Status::ok) return found;
  return find_handle(resources, below_);
}

/// The others have completed the commit that this rank had abandoned, and commit the next group of the same members. So does this rank,
/// with words to which no rank has written.
Status GroupLinks::begin_next(GroupResources &resources, int handle) {
  if (handle_ == handle)
    return fail(Status::state, "%s on rank %d: the other ranks continued without this one; create the group again", resources.calls.commit,
                resources.rank());
  withdraw(resources);
  begun_ = false;
  return Status::again;
}

}  // namespace halocline::core
