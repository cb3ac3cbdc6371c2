// Committing groups, the dissemination barrier, and the tree of reductions.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/group.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "faces/gaspi/job.hpp"

namespace halocline::gaspi {
namespace {

constexpr const char *kCommit = "gaspi_group_commit", *kBarrier = "gaspi_barrier", *kReduction = "gaspi_allreduce";

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t word = (seed ^ value) + 0x9E3779B97F4A7C15u;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

std::atomic_ref<std::uint64_t> record_of(Job &job, int handle) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t *>(job.parts.control().data() + job.plan().record(handle)));
}

const Words &words_of(Job &job) { return job.parts.control().words(); }

}  // namespace

void Group::define(bool all) {
  stage_ = Stage::defined;
  all_ = all;
  ranks_.clear();
  call_ = Call::none;
}

bool Group::add(int rank) {
  const auto place = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if (place != ranks_.end() && *place == rank) return false;
  ranks_.insert(place, rank);
  return true;
}

int Group::size(const Job &job) const { return all_ ? job.size() : static_cast<int>(ranks_.size()); }

bool Group::has_come(Job &job, int word, std::uint32_t number) {
  return static_cast<std::int32_t>(words_of(job).risen(word) - number) >= 0;
}

/// Says that this rank calls the group `handle`. Until the others know that, nobody writes to its words. That of all ranks needs no saying.
void Group::publish(Job &job) {
  number_ = 0;
  if (all_) return;
  for (int round = 0; round <= job.plan().rounds(); ++round) {
    words_of(job).lower(job.plan().barrier_word(handle_, round));
    words_of(job).lower(job.plan().reduction_word(handle_, round));
  }
  std::uint64_t members = mix(0, static_cast<std::uint64_t>(size(job)));
  for (const int rank : ranks_) members = mix(members, static_cast<std::uint64_t>(rank));
  name_ = mix(members, job.count_commits(members)) | 1;
  // SYNC words-before-record (pairs with find_handle): the words hold nothing of an earlier group when somebody learns of this one.
  record_of(job, handle_).store(name_, std::memory_order_release);
}

Status Group::choose_partners(Job &job) {
  const int members = size(job);
  rounds_ = static_cast<int>(std::bit_width(static_cast<unsigned>(members - 1)));
  const auto find = [&](int index, Partner *partner) {
    *partner = Partner();
    return job.parts.find_control(rank_at(index), &partner->part);
  };
  above_.resize(static_cast<std::size_t>(rounds_));
  for (int round = 0; round < rounds_; ++round) HLC_TRY(find((index_ + (1 << round)) % members, &above_[static_cast<std::size_t>(round)]));
  return find(index_ & (index_ - 1), &below_);
}

/// Looks for the group among the records of a partner, as often as it takes until that has committed it.
Status Group::find_handle(Job &job, Partner &partner) {
  if (partner.handle >= 0) return Status::ok;
  if (all_) {
    partner.handle = handle_;
    return Status::ok;
  }
  Traffic *traffic = job.context.network().traffic();
  if (!partner.asked) {
    partner.records.resize(static_cast<std::size_t>(job.plan().records()));
    const auto bytes = static_cast<std::int64_t>(partner.records.size() * sizeof(std::uint64_t));
    HLC_TRY(partner.part->get(kCommit, job.plan().record(0), partner.records.data(), bytes));
    if (!partner.part->is_near()) partner.drain = traffic->begin_drain(partner.part->rank(), false);
    partner.asked = true;
  }
  if (!partner.part->is_near())
    if (const Status come = traffic->look(partner.drain, kCommit); come != Status::ok) return come;
  partner.asked = false;
  // SYNC words-before-record (pairs with publish)
  std::atomic_thread_fence(std::memory_order_acquire);
  const auto found = std::find(partner.records.begin(), partner.records.end(), name_);
  if (found == partner.records.end()) return Status::again;
  partner.handle = static_cast<int>(found - partner.records.begin());
  return Status::ok;
}

Status Group::commit_on(Job &job, int handle) {
  HLC_TRY(look_for_dead(job, kCommit));
  if (step_ == Step::begin) {
    handle_ = handle;
    const auto mine = std::lower_bound(ranks_.begin(), ranks_.end(), job.rank());
    index_ = all_ ? job.rank() : static_cast<int>(mine - ranks_.begin());
    value_.resize(static_cast<std::size_t>(job.plan().operand_bytes()));
    HLC_TRY(choose_partners(job));
    publish(job);
    step_ = Step::first;
  }
  if (step_ == Step::first) {
    for (Partner &partner : above_)
      if (const Status found = find_handle(job, partner); found != Status::ok) return found;
    if (const Status found = find_handle(job, below_); found != Status::ok) return found;
    number_ += 1;
    round_ = 0;
    told_ = false;
    step_ = Step::second;
  }
  const Status passed = pass_rounds(job, kCommit);
  if (passed == Status::ok) stage_ = Stage::committed;
  return passed;
}

Status Group::look_for_dead(Job &job, const char *call) const {
  if (!job.watch.knows_any()) return Status::ok;
  for (int index = 0; index < size(job); ++index)
    if (job.watch.is_lost(rank_at(index)))
      return fail(Status::peer_died, "%s on rank %d: rank %d of the group is out of reach", call, job.rank(), rank_at(index));
  return Status::ok;
}

/// The first steps of a collective call: what was written to the members is there.
Status Group::begin(Job &job, const char *call) {
  HLC_TRY(look_for_dead(job, call));
  if (step_ == Step::begin) {
    number_ += 1;
    round_ = 0;
    told_ = false;
    writes_.clear();
    for (const int rank : job.take_written(*this)) writes_.push_back(job.context.network().traffic()->begin_drain(rank, true));
    step_ = Step::writes;
  }
  if (step_ != Step::writes) return Status::ok;
  if (const Status confirmed = confirm_writes(job, call); confirmed != Status::ok) return confirmed;
  step_ = Step::first;
  return Status::ok;
}

Status Group::confirm_writes(Job &job, const char *call) {
  Status worst = Status::ok;
  for (Drain &drain : writes_) {
    const Status status = job.context.network().traffic()->look(drain, call);
    if (failed(status)) return status;
    if (status == Status::again) worst = status;
  }
  return worst;
}

Status Group::pass_rounds(Job &job, const char *call) {
  for (; round_ < rounds_; ++round_, told_ = false) {
    Partner &above = above_[static_cast<std::size_t>(round_)];
    // SYNC barrier-round (pairs with has_come of the rank above)
    if (!told_) HLC_TRY(above.part->notify(call, {above.part->rising(job.plan().barrier_word(above.handle, round_)), number_}));
    told_ = true;
    // SYNC barrier-round, later-before-earlier (pair with the rank below)
    if (!has_come(job, job.plan().barrier_word(handle_, round_), number_)) return Status::again;
  }
  Traffic *traffic = job.context.network().traffic();
  return traffic ? traffic->see_off(call) : Status::ok;
}

Status Group::barrier_on(Job &job) {
  if (const Status begun = begin(job, kBarrier); begun != Status::ok) return begun;
  // SYNC put-before-flush (pairs with has_come of the rank above)
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return pass_rounds(job, kBarrier);
}

Status Group::send(Job &job, Partner &partner, int round, std::int64_t bytes) {
  const hlc_notification notification{partner.part->rising(job.plan().reduction_word(partner.handle, round)), number_};
  return partner.part->put_notify(kReduction, job.plan().operand(partner.handle, round), value_.data(), bytes, notification);
}

/// Up the tree: takes what stands for the ranks above, round by round, then sends all of it down.
Status Group::gather(Job &job, const Reduction &reduction) {
  for (; round_ < rounds_; ++round_) {
    const int distance = 1 << round_;
    if ((index_ & distance) != 0) {
      HLC_TRY(send(job, below_, round_, reduction.bytes));
      break;
    }
    if (index_ + distance >= size(job)) continue;
    if (!has_come(job, job.plan().reduction_word(handle_, round_), number_)) return Status::again;
    const char *other = job.parts.control().data() + job.plan().operand(handle_, round_);
    if (const Status combined = reduction.combine(reduction.what, value_.data(), other); combined != Status::ok) return combined;
  }
  return Status::ok;
}

/// Down the tree: the result goes to those whose values came here.
Status Group::hand_out(Job &job, const Reduction &reduction) {
  for (int round = rounds_ - 1; round >= 0; --round) {
    const int distance = 1 << round;
    if (distance > (index_ & -index_) - 1 && index_ != 0) continue;
    if (index_ + distance >= size(job)) continue;
    HLC_TRY(send(job, above_[static_cast<std::size_t>(round)], job.plan().rounds(), reduction.bytes));
  }
  std::memcpy(reduction.result, value_.data(), static_cast<std::size_t>(reduction.bytes));
  Traffic *traffic = job.context.network().traffic();
  return traffic ? traffic->see_off(kReduction) : Status::ok;
}

Status Group::reduce_on(Job &job, const Reduction &reduction) {
  if (step_ == Step::begin) std::memcpy(value_.data(), reduction.operand, static_cast<std::size_t>(reduction.bytes));
  if (const Status begun = begin(job, kReduction); begun != Status::ok) return begun;
  // SYNC put-before-flush (pairs with has_come of whoever takes the value)
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (step_ == Step::first) {
    if (const Status gathered = gather(job, reduction); gathered != Status::ok) return gathered;
    step_ = Step::second;
  }
  if (index_ != 0) {
    const int word = job.plan().reduction_word(handle_, job.plan().rounds());
    if (!has_come(job, word, number_)) return Status::again;
    const char *result = job.parts.control().data() + job.plan().operand(handle_, job.plan().rounds());
    std::memcpy(value_.data(), result, static_cast<std::size_t>(reduction.bytes));
  }
  return hand_out(job, reduction);
}

}  // namespace halocline::gaspi
