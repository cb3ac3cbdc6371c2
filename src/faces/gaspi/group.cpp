// Committing groups, the dissemination barrier, and the tree of reductions.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/group.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "faces/gaspi/session.hpp"

namespace halocline::core::gaspi {
namespace {

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t word = (seed ^ value) + 0x9E3779B97F4A7C15u;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

std::atomic_ref<std::uint64_t> record_of(Session &session, int handle) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t *>(session.parts.control().data() + session.plan().record(handle)));
}

const NotificationWords &words_of(Session &session) { return session.parts.control().words(); }

/// Never 0, which is no group.
std::uint64_t name_of(std::uint64_t members, std::uint64_t count) { return mix(members, count) | 1; }

}  // namespace

void Group::define(bool all) {
  stage_ = Stage::defined;
  all_ = all;
  ranks_.clear();
  call_ = Call::none;
  broken_ = false;
}

/// A slow member may still be in a collective call that this rank has left, and write to the words. Then no other group gets these. A group
/// that one rank has committed has been found by all, and so needs its record no more.
void Group::remove(Session &session) {
  if (call_ == Call::commit) break_off(session);
  if (stage_ == Stage::committed) {
    record_of(session, handle_).store(0, std::memory_order_relaxed);
    session.commits.keep_handle(handle_, broken_ || call_ != Call::none || has_lost_members(session));
  }
  stage_ = Stage::none;
  call_ = Call::none;
}

/// Ends a collective call before it is complete.
void Group::break_off(Session &session) {
  broken_ = true;
  if (call_ == Call::commit && step_ != Step::begin && !all_) session.commits.give_up(attempt_);
}

bool Group::has_lost_members(Session &session) const {
  if (!session.watch.knows_any()) return false;
  return std::any_of(ranks_.begin(), ranks_.end(), [&](int rank) { return session.watch.is_lost(rank); });
}

bool Group::add(int rank) {
  const auto place = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if (place != ranks_.end() && *place == rank) return false;
  ranks_.insert(place, rank);
  return true;
}

int Group::size(const Session &session) const { return all_ ? session.size() : static_cast<int>(ranks_.size()); }

bool Group::has_come(Session &session, int word, std::uint32_t number) {
  return static_cast<std::int32_t>(words_of(session).risen(word) - number) >= 0;
}

/// Finds out which commit of these members this is. An abandoned one is continued with the handle and the words that it had: others may
/// know the handle, and have written to the words.
void Group::name_attempt(Session &session) {
  std::uint64_t members = mix(0, static_cast<std::uint64_t>(size(session)));
  for (const int rank : ranks_) members = mix(members, static_cast<std::uint64_t>(rank));
  passed_by_ = false;
  resumes_ = session.commits.take_given_up(members, &attempt_);
  if (!resumes_) attempt_ = {members, session.commits.count(members), handle_};
  handle_ = attempt_.handle;
  name_ = name_of(members, attempt_.count);
  next_name_ = name_of(members, attempt_.count + 1);
}

/// Publishes this rank's handle of the group. No rank writes to the group's words before it knows the handle. The group of all ranks has
/// the same handle everywhere.
Status Group::publish(Session &session) {
  number_ = 0;
  sent_.assign(static_cast<std::size_t>(session.plan().rounds()) + 1, 0);
  received_.assign(sent_.size(), 0);
  if (all_) return Status::ok;
  name_attempt(session);
  if (!resumes_ && session.commits.keeps_handle(handle_))
    return fail(Status::state, "%s on rank %d: an earlier commit of the group has failed, it has to be made anew", kCommit, session.rank());
  for (int round = 0; round <= session.plan().rounds() && !resumes_; ++round) {
    words_of(session).lower(session.plan().barrier_word(handle_, round));
    words_of(session).lower(session.plan().reduction_word(handle_, round));
    words_of(session).lower(session.plan().taken_word(handle_, round));
  }
  // SYNC words-before-record (pairs with find_handle): the words hold nothing of an earlier group when another rank learns of this one.
  record_of(session, handle_).store(name_, std::memory_order_release);
  return Status::ok;
}

Status Group::choose_partners(Session &session) {
  const int members = size(session);
  rounds_ = static_cast<int>(std::bit_width(static_cast<unsigned>(members - 1)));
  const auto find = [&](int index, Partner *partner) {
    *partner = Partner();
    return session.parts.find_control(rank_at(index), &partner->part);
  };
  above_.resize(static_cast<std::size_t>(rounds_));
  for (int round = 0; round < rounds_; ++round) HLC_TRY(find((index_ + (1 << round)) % members, &above_[static_cast<std::size_t>(round)]));
  HLC_TRY(find(index_ & (index_ - 1), &below_));
  return look_for_others(session);
}

/// Probes also the ranks that this rank only waits for, and those that these wait for. A rank that is told of a loss does not pass it on.
/// In a large group these would be too many, and only the first kind is probed.
Status Group::look_for_others(Session &session) const {
  RequestEngine *requests = session.context.network().requests();
  const int members = size(session);
  if (!requests || members == 1) return Status::ok;
  const auto meet = [&](int index) {
    const int rank = rank_at(index);
    return session.context.member_of(rank) == kNotOnNode ? requests->meet(rank) : Status::ok;
  };
  if (members <= kLookedFor) {
    for (int index = 0; index < members; ++index) HLC_TRY(meet(index));
    return Status::ok;
  }
  for (int distance = 1; distance < members; distance *= 2) HLC_TRY(meet((index_ - distance + members) % members));
  return Status::ok;
}

/// Returns ok once the reads of an abandoned commit have ended, so that their memory is free; `again` until then.
Status Group::end_questions(Session &session) {
  const auto end = [&](Partner &partner) {
    if (!partner.asked || partner.part->is_near()) return false;
    partner.asked = session.context.network().requests()->look(partner.flush, kCommit) == Status::again;
    return partner.asked;
  };
  if (std::any_of(above_.begin(), above_.end(), end) || end(below_)) return Status::again;
  return Status::ok;
}

/// Looks for the group among the records of a partner; `again` until the partner has published it there.
Status Group::find_handle(Session &session, Partner &partner) {
  if (partner.handle >= 0) return Status::ok;
  if (all_) {
    partner.handle = handle_;
    return Status::ok;
  }
  RequestEngine *requests = session.context.network().requests();
  if (!partner.asked) {
    if (const Status room = partner.part->find_room(kCommit); room != Status::ok) return room;
    partner.records.resize(static_cast<std::size_t>(session.plan().records()));
    const auto bytes = static_cast<std::int64_t>(partner.records.size() * sizeof(std::uint64_t));
    HLC_TRY(get(kCommit, Target{*partner.part, session.plan().record(0)}, {partner.records.data(), bytes}));
    if (!partner.part->is_near()) partner.flush = requests->begin_flush(partner.part->rank(), false);
    partner.asked = true;
  }
  if (!partner.part->is_near())
    if (const Status come = requests->look(partner.flush, kCommit); come != Status::ok) return come;
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

Status Group::find_handles(Session &session) {
  for (Partner &partner : above_)
    if (const Status found = find_handle(session, partner); found != Status::ok) return found;
  return find_handle(session, below_);
}

/// The others have completed the commit that this rank had abandoned, and commit the next group of the same members. So does this rank,
/// with words to which no rank has written.
Status Group::begin_next(Session &session, int handle) {
  if (handle_ == handle)
    return fail(Status::state, "%s on rank %d: the others have gone on without it, the group has to be made anew", kCommit, session.rank());
  record_of(session, handle_).store(0, std::memory_order_relaxed);
  step_ = Step::begin;
  return Status::again;
}

Status Group::commit_on(Session &session, int handle) {
  if (step_ == Step::begin) {
    if (const Status over = end_questions(session); over != Status::ok) return over;
    handle_ = handle;
    const auto mine = std::lower_bound(ranks_.begin(), ranks_.end(), session.rank());
    index_ = all_ ? session.rank() : static_cast<int>(mine - ranks_.begin());
    HLC_TRY(choose_partners(session));
    HLC_TRY(publish(session));
    step_ = Step::first;
  }
  if (step_ == Step::first) {
    if (const Status found = find_handles(session); found != Status::ok) return passed_by_ ? begin_next(session, handle) : found;
    number_ += 1;
    round_ = 0;
    told_ = false;
    step_ = Step::second;
  }
  const Status passed = pass_rounds(session, kCommit);
  if (passed == Status::ok) stage_ = Stage::committed;
  return passed;
}

Status Group::look_for_lost(Session &session, const char *call) const {
  if (!session.watch.knows_any()) return Status::ok;
  for (int index = 0; index < size(session); ++index) HLC_TRY(session.watch.tell(call, rank_at(index)));
  return Status::ok;
}

/// The first steps of a collective call: waits until data written to the members have arrived.
Status Group::begin(Session &session, const char *call) {
  if (step_ == Step::begin) {
    number_ += 1;
    round_ = 0;
    told_ = false;
    pending_notify_ = PendingNotify();
    writes_.clear();
    for (const int rank : session.written.take(size(session), [this](int index) { return rank_at(index); }))
      writes_.push_back(session.context.network().requests()->begin_flush(rank, true));
    step_ = Step::writes;
  }
  if (step_ != Step::writes) return Status::ok;
  if (const Status confirmed = confirm_writes(session, call); confirmed != Status::ok) return confirmed;
  step_ = Step::first;
  return Status::ok;
}

Status Group::confirm_writes(Session &session, const char *call) {
  Status worst = Status::ok;
  for (Flush &flush : writes_) {
    const Status status = session.context.network().requests()->look(flush, call);
    if (failed(status)) return status;
    if (status == Status::again) worst = status;
  }
  return worst;
}

Status Group::pass_rounds(Session &session, const char *call) {
  for (; round_ < rounds_; ++round_, told_ = false) {
    Partner &above = above_[static_cast<std::size_t>(round_)];
    if (const Status room = told_ ? Status::ok : above.part->find_room(call); room != Status::ok) return room;
    // SYNC barrier-round (pairs with has_come of the rank above)
    if (!told_) HLC_TRY(raise_word(call, *above.part, {session.plan().barrier_word(above.handle, round_), number_}));
    told_ = true;
    // SYNC barrier-round, later-before-earlier (pair with the rank below)
    if (!has_come(session, session.plan().barrier_word(handle_, round_), number_)) return Status::again;
  }
  RequestEngine *requests = session.context.network().requests();
  return requests ? requests->test_outgoing(call) : Status::ok;
}

Status Group::barrier_on(Session &session) {
  if (const Status begun = begin(session, kBarrier); begun != Status::ok) return begun;
  // SYNC put-before-flush (pairs with has_come of the rank above)
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return pass_rounds(session, kBarrier);
}

/// Operands go up the tree, into the slot of their round.
Group::Stream Group::up(const Session &session, Partner &partner, int round, Counts &counts) const {
  const int last = session.plan().rounds();
  return {&partner, round, last, &counts[static_cast<std::size_t>(&partner == &below_ ? last : round)]};
}

/// The result goes down the tree, into the slot for results.
Group::Stream Group::down(const Session &session, Partner &partner, int round, Counts &counts) const {
  const int last = session.plan().rounds();
  return {&partner, last, round, &counts[static_cast<std::size_t>(&partner == &below_ ? last : round)]};
}

/// Over the network a piece is short enough to be copied when it is sent, so that its source need not be kept.
std::int64_t Group::piece_bytes(const Partner &partner) const {
  const std::int64_t slot = Plan::slot_bytes(handle_);
  return partner.part->is_near() ? slot : std::min(slot, Request::kRoom);
}

/// Sends `value_` in pieces, each after the partner has taken the piece before.
Status Group::send(Session &session, const Stream &stream, std::int64_t bytes) {
  RemoteMemory &part = *stream.partner->part;
  const int handle = stream.partner->handle;
  while (moved_ < bytes) {
    // SYNC copied-before-next-piece (pairs with receive): the slot is free. The last piece of an operand needs no such word: the data sent
    // back depend on it.
    if (moved_ > 0 && !has_come(session, session.plan().taken_word(handle_, stream.taken), *stream.pieces)) return Status::again;
    const std::int64_t some = std::min(bytes - moved_, piece_bytes(*stream.partner));
    const MonotonicWord come{session.plan().reduction_word(handle, stream.slot), *stream.pieces + 1};
    if (const Status room = part.find_room(kReduction); room != Status::ok) return room;
    const std::int64_t slot = session.plan().operand(handle, stream.slot);
    const Status sent = put_and_raise(kReduction, {part, slot}, {value_.data() + moved_, some}, come, pending_notify_);
    if (sent != Status::ok) return sent;
    pending_notify_ = PendingNotify();
    *stream.pieces += 1;
    moved_ += some;
  }
  moved_ = 0;
  return Status::ok;
}

Status Group::receive(Session &session, const Stream &stream, std::vector<char> &into, std::int64_t bytes) {
  const char *slot = session.parts.control().data() + session.plan().operand(handle_, stream.slot);
  while (moved_ < bytes) {
    if (!has_come(session, session.plan().reduction_word(handle_, stream.slot), *stream.pieces + 1)) return Status::again;
    if (const Status room = stream.partner->part->find_room(kReduction); room != Status::ok) return room;
    const std::int64_t some = std::min(bytes - moved_, piece_bytes(*stream.partner));
    std::memcpy(into.data() + moved_, slot, static_cast<std::size_t>(some));
    *stream.pieces += 1;
    moved_ += some;
    if (moved_ == bytes) continue;
    RemoteMemory &part = *stream.partner->part;
    // SYNC copied-before-next-piece (pairs with send)
    HLC_TRY(raise_word(kReduction, part, {session.plan().taken_word(stream.partner->handle, stream.taken), *stream.pieces}));
  }
  moved_ = 0;
  return Status::ok;
}

/// Up the tree: combines the values that stand for the ranks above, round by round, then sends the combination to the member below.
Status Group::gather(Session &session, const Reduction &reduction) {
  for (; round_ < rounds_; ++round_) {
    const int distance = 1 << round_;
    if ((index_ & distance) != 0) return send(session, up(session, below_, round_, sent_), reduction.bytes);
    if (index_ + distance >= size(session)) continue;
    if (!has_other_)
      if (const Status come = receive(session, up(session, above(round_), round_, received_), other_, reduction.bytes); come != Status::ok)
        return come;
    has_other_ = true;
    if (const Status combined = reduction.combine(reduction.what, value_.data(), other_.data()); combined != Status::ok) return combined;
    has_other_ = false;
  }
  return Status::ok;
}

/// Down the tree: sends the result to the members whose values arrived here.
Status Group::hand_out(Session &session, const Reduction &reduction) {
  for (; round_ >= 0; --round_) {
    const int distance = 1 << round_;
    if (distance > (index_ & -index_) - 1 && index_ != 0) continue;
    if (index_ + distance >= size(session)) continue;
    if (const Status sent = send(session, down(session, above(round_), round_, sent_), reduction.bytes); sent != Status::ok) return sent;
  }
  std::memcpy(reduction.result, value_.data(), static_cast<std::size_t>(reduction.bytes));
  RequestEngine *requests = session.context.network().requests();
  return requests ? requests->test_outgoing(kReduction) : Status::ok;
}

void Group::keep(const Reduction &reduction) {
  const auto bytes = static_cast<std::size_t>(reduction.bytes);
  value_.resize(bytes);
  other_.resize(bytes);
  std::memcpy(value_.data(), reduction.operand, bytes);
  moved_ = 0;
  has_other_ = false;
}

Status Group::reduce_on(Session &session, const Reduction &reduction) {
  if (step_ == Step::begin) keep(reduction);
  if (const Status begun = begin(session, kReduction); begun != Status::ok) return begun;
  // SYNC put-before-flush (pairs with has_come of the rank that takes the value)
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (step_ == Step::first) {
    if (const Status gathered = gather(session, reduction); gathered != Status::ok) return gathered;
    step_ = Step::second;
  }
  if (step_ == Step::second) {
    if (index_ != 0) {
      const int round = std::countr_zero(static_cast<unsigned>(index_));
      const Status come = receive(session, down(session, below_, round, received_), value_, reduction.bytes);
      if (come != Status::ok) return come;
    }
    round_ = rounds_ - 1;
    step_ = Step::third;
  }
  return hand_out(session, reduction);
}

}  // namespace halocline::core::gaspi
