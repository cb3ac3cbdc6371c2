// Runs with many elements. For each unit a rank gives elements to the others of its node, combines its own lanes, and takes the others'
// results. It gives one unit ahead and takes one behind, so that it seldom waits. Arrays that the node can read are not copied for this,
// but combined and taken in place.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "base/counter.hpp"
#include "base/stream.hpp"
#include "reduce/allreduce.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kInPlace = 128 << 10;  // bytes of an array from which on it is read in place, if all ranks of the node can

}  // namespace

Status Allreduce::combine_long(Run run) {
  Status done = open(run);
  if (!failed(done)) done = pass_round(run);
  if (!failed(done)) done = close();
  arrays_.release();
  return done;
}

/// The ranks of the node exchange the places of their arrays. Arrays in memory from hlc_field_alloc are read in place. The exception: a
/// rank of the node has released its part of that memory, and with it its mapping of the others' parts.
Status Allreduce::open(Run run) {
  const std::int64_t all_bytes = cut_.count * cut_.element_bytes;
  if (all_bytes < kInPlace) return Status::ok;
  const Notice told = arrays_.hold(run.in, run.out, all_bytes);
  if (!is_shared()) return Status::ok;
  Notice &mine = notice(context_.member());
  // SYNC given-before-combined (pairs with work): a rank that gave elements in the last run had read its notices.
  mine = told;
  HLC_TRY(meet());
  bool any = false, all = true;
  for (Member member = 0; member < context_.members(); ++member) {
    any = any || notice(member).in.serial >= 0 || notice(member).out.serial >= 0;
    all = arrays_.borrow(member, notice(member)) && all;
  }
  if (!any) return Status::ok;
  mine.sees_all = all;
  HLC_TRY(meet());
  for (Member member = 0; member < context_.members(); ++member) all = all && notice(member).sees_all;
  if (!all) arrays_.forget();
  return Status::ok;
}

/// Waits for the ranks of the node; what each has written before may be read afterwards.
Status Allreduce::meet() {
  // SYNC noticed-before-opened (pairs with itself)
  tell(words(context_.member()).opened, ++opened_);
  return await_all(&Milestones::opened, opened_);
}

/// Waits until no rank reads my results any more. No rank reads my elements either: I have taken the results that all combined of them.
Status Allreduce::close() {
  // SYNC taken-before-worked-anew (pairs with take)
  if (is_shared() && arrays_.out(context_.member())) HLC_TRY(await_all(&Milestones::taken, units_));
  return leave();
}

Status Allreduce::pass_round(Run run) {
  Units ahead(cut_), here(cut_), behind(cut_);
  const std::int64_t units = cut_.units();
  for (std::int64_t turn = 0; turn < units + 2; ++turn) {
    if (turn < units) {
      HLC_TRY(give(ahead, run));
      ahead.next();
    }
    if (turn >= 1 && turn <= units) {
      HLC_TRY(work(here, run));
      here.next();
    }
    if (turn >= 2) {
      HLC_TRY(take(behind, run));
      behind.next();
    }
  }
  if (past_caches_) stream_fence();
  units_ += static_cast<std::uint64_t>(units);
  return Status::ok;
}

/// Gives my elements of the chunks that others combine.
Status Allreduce::give(const Units &unit, Run run) {
  if (!is_shared()) return Status::ok;
  const Member me = context_.member();
  if (gives(unit) && !arrays_.in(me)) {
    // SYNC combined-before-given-anew (pairs with work)
    const auto slots = static_cast<std::uint64_t>(layout_.given_slots);
    if (serial(unit) >= slots) HLC_TRY(await_all(&Milestones::worked, serial(unit) + 1 - slots));
    for (int lane = 0; lane < cut_.lanes; ++lane) {
      if (lane % context_.members() == me) continue;
      const Range range = cut_.chunk_of(unit.round(), part_of(unit), lane);
      std::memcpy(part(me) + layout_.given_at(static_cast<std::int64_t>(serial(unit)), lane), run.in + offset(range),
                  static_cast<std::size_t>(bytes(range)));
    }
  }
  // SYNC given-before-combined (pairs with work)
  tell(words(me).given, serial(unit) + 1);
  return Status::ok;
}

Status Allreduce::work(const Units &unit, Run run) {
  const Member me = context_.member();
  if (ring_) HLC_TRY(ring_->progress());
  // Waits for all ranks, also those that have given no elements: other nodes count a slot as free because of this wait (ring.hpp).
  // SYNC given-before-combined (pairs with give)
  if (is_shared() && gives(unit)) HLC_TRY(await_all(&Milestones::given, serial(unit) + 1));
  // SYNC taken-before-worked-anew (pairs with take)
  const auto slots = static_cast<std::uint64_t>(layout_.result_slots);
  if (is_shared() && serial(unit) >= slots) HLC_TRY(await_all(&Milestones::taken, serial(unit) + 1 - slots));
  for (int index = 0; index < layout_.lanes_of(me); ++index) {
    const Range range = cut_.chunk_of(unit.round(), part_of(unit), me + index * context_.members());
    if (range.count == 0) continue;
    HLC_TRY(gives(unit) ? combine(unit, index, range, run) : hand_on(unit, index, range, run));
    if (sends(unit)) HLC_TRY(send(unit, index, range));
  }
  // SYNC combined-before-given-anew (pairs with give), worked-before-taken (pairs with take)
  if (is_shared()) tell(words(me).worked, serial(unit) + 1);
  return Status::ok;
}

/// Combines what arrived from the node before, unless this is step 0, with my node's elements.
Status Allreduce::combine(const Units &unit, int index, Range range, Run run) {
  HLC_TRY(await_chunk(unit, index, range));
  const int lane = context_.member() + index * context_.members();
  int n = 0;
  if (unit.step() > 0) sources_[static_cast<std::size_t>(n++)] = ring_->incoming(index);
  for (Member member = 0; member < context_.members(); ++member)
    sources_[static_cast<std::size_t>(n++)] = member == context_.member() ? run.in + offset(range) : elements(member, unit, lane, range);
  char *mine = run.out + offset(range);
  // True if the result is final and may be written straight into my array, which overlaps no source but the first.
  const bool at_once = !ring_ && (!is_shared() || (arrays_.out(context_.member()) && (mine == sources_[0] || run.in != run.out)));
  char *to = at_once ? mine : my_result(unit, index);
  const bool is_wanted_twice = publishes(unit) && to != mine;
  combiner_.fold(to, sources_.data(), n, range.count, {is_wanted_twice ? mine : nullptr, past_caches_ && !arrays_.out(context_.member())});
  if (unit.step() > 0) ring_->release(index);
  return Status::ok;
}

/// Copies a result that arrived from the node before into my array. If other ranks need it, copies it into my result slot, too.
Status Allreduce::hand_on(const Units &unit, int index, Range range, Run run) {
  HLC_TRY(await_chunk(unit, index, range));
  const char *come = ring_->incoming(index);
  put_out(run.out + offset(range), come, bytes(range));
  const bool is_taken = is_shared() && !arrays_.out(context_.member());
  if (is_taken || sends(unit)) std::memcpy(my_result(unit, index), come, static_cast<std::size_t>(bytes(range)));
  ring_->release(index);
  return Status::ok;
}

/// Waits for the unit's chunk from the node before, and until the last content of its result slot has left for the node after.
Status Allreduce::await_chunk(const Units &unit, int index, Range range) {
  if (!ring_) return Status::ok;
  HLC_TRY(await([&] { return ring_->has_left(index, result_slot(unit)); }, ring_->after(index)));
  if (unit.step() == 0) return Status::ok;
  ring_->expect(index, bytes(range));
  return await([&] { return ring_->has_come(index); }, ring_->before(index));
}

Status Allreduce::send(const Units &unit, int index, Range range) {
  HLC_TRY(await([&] { return ring_->has_room(index); }, ring_->after(index)));
  ring_->send(index, result_slot(unit), bytes(range));
  return Status::ok;
}

/// Takes the results of the lanes that others drive.
Status Allreduce::take(const Units &unit, Run run) {
  if (!is_shared()) return Status::ok;
  const Member me = context_.member();
  for (int lane = 0; publishes(unit) && lane < cut_.lanes; ++lane) {
    const Member driver = lane % context_.members();
    const Range range = cut_.chunk_of(unit.round(), part_of(unit), lane);
    if (driver == me || range.count == 0) continue;
    // SYNC worked-before-taken (pairs with work)
    HLC_TRY(await([&] { return reached(words(driver).worked, serial(unit) + 1); }, -1 - driver));
    const char *from = arrays_.out(driver) ? arrays_.out(driver) + offset(range)
                                           : part(driver) + layout_.result_at(driver, result_slot(unit), lane / context_.members());
    copy_out(run.out + offset(range), from, bytes(range));
  }
  // SYNC taken-before-worked-anew (pairs with work)
  tell(words(me).taken, serial(unit) + 1);
  return Status::ok;
}

/// A member's elements for a lane, which the member has given before.
const char *Allreduce::elements(Member member, const Units &unit, int lane, Range range) const {
  if (arrays_.in(member)) return arrays_.in(member) + offset(range);
  return part(member) + layout_.given_at(static_cast<std::int64_t>(serial(unit)), lane);
}

/// Copies a result into my array: through the caches if others read it there next.
void Allreduce::put_out(char *to, const char *from, std::int64_t bytes) const {
  if (arrays_.out(context_.member()))
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  else
    copy_out(to, from, bytes);
}

void Allreduce::copy_out(char *to, const char *from, std::int64_t bytes) const {
  if (past_caches_)
    stream_copy(to, from, bytes);
  else
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace halocline::core
