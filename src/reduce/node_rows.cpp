// Giving elements and taking results, each in turn with the other ranks of the node.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/node_rows.hpp"

#include <cstring>

#include "base/counter.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kInPlace = 128 << 10;  // bytes of an array from which on it is read in place, if all ranks of the node can

Notice &notice_of(const NodeRanks &ranks, Member member) { return *reinterpret_cast<Notice *>(ranks.part(member) + Layout::notice); }

}  // namespace

NodeRows::NodeRows(const ReducePlan &plan, NodeRanks &ranks, Fields &fields)
    : plan_(plan), ranks_(ranks), arrays_(fields, ranks.members()) {}

Status NodeRows::open(RunArrays arrays) {
  if (plan_.cut.bytes() < kInPlace) return Status::ok;
  const Notice mine = arrays_.hold(arrays.in, arrays.out, plan_.cut.bytes());
  return ranks_.members() > 1 ? share(mine) : Status::ok;
}

/// The ranks of the node exchange the places of their arrays. Arrays in memory from hlc_field_alloc are read in place. The exception: a
/// rank of the node has released its part of that memory, and with it its mapping of the others' parts.
Status NodeRows::share(const Notice &mine) {
  // SYNC given-before-combined (pairs with await_given): a rank that gave elements in the last run had read its notices.
  notice_of(ranks_, ranks_.me()) = mine;
  HLC_TRY(meet());
  bool any = false, all = true;
  for (Member member = 0; member < ranks_.members(); ++member) {
    const Notice &notice = notice_of(ranks_, member);
    any = any || notice.in.serial >= 0 || notice.out.serial >= 0;
    all = arrays_.borrow(member, notice) && all;
  }
  if (!any) return Status::ok;
  notice_of(ranks_, ranks_.me()).sees_all = all;
  HLC_TRY(meet());
  for (Member member = 0; member < ranks_.members(); ++member) all = all && notice_of(ranks_, member).sees_all;
  if (!all) arrays_.forget();
  return Status::ok;
}

/// Waits for the ranks of the node; what each has written before may be read afterwards.
Status NodeRows::meet() {
  // SYNC noticed-before-opened (pairs with itself)
  ranks_.publish(ranks_.words(ranks_.me()).opened, ++opened_);
  return ranks_.await_all(&Milestones::opened, opened_);
}

/// Waits until no rank reads my results any more. No rank reads my elements either: I have taken the results that all combined of them.
Status NodeRows::close(std::uint64_t rows) {
  // SYNC taken-before-worked-anew (pairs with publish_taken)
  return shows_array() ? ranks_.await_all(&Milestones::taken, rows) : Status::ok;
}

Status NodeRows::give(const ChunkRow &row, const char *in) {
  const Member me = ranks_.me();
  if (!arrays_.in(me)) {
    // SYNC combined-before-given-anew (pairs with publish_worked)
    const auto slots = static_cast<std::uint64_t>(plan_.layout.given_slots);
    if (row.serial >= slots) HLC_TRY(ranks_.await_all(&Milestones::worked, row.serial + 1 - slots));
    for (int lane = 0; lane < plan_.cut.lanes; ++lane) {
      if (lane % ranks_.members() == me) continue;
      const Range range = plan_.cut.chunk_of(row, lane);
      std::memcpy(ranks_.part(me) + plan_.layout.given_at(static_cast<std::int64_t>(row.serial), lane), in + plan_.cut.offset(range),
                  static_cast<std::size_t>(plan_.cut.bytes(range)));
    }
  }
  // SYNC given-before-combined (pairs with await_given)
  ranks_.publish(ranks_.words(me).given, row.serial + 1);
  return Status::ok;
}

Status NodeRows::await_given(const ChunkRow &row) {
  // SYNC given-before-combined (pairs with give)
  return ranks_.await_all(&Milestones::given, row.serial + 1);
}

void NodeRows::list_elements(const ChunkRow &row, int lane, const char *in, const char **sources) const {
  const std::int64_t offset = plan_.cut.offset(plan_.cut.chunk_of(row, lane));
  const std::int64_t slot = plan_.layout.given_at(static_cast<std::int64_t>(row.serial), lane);
  for (Member member = 0; member < ranks_.members(); ++member) {
    const char *array = member == ranks_.me() ? in : arrays_.in(member);
    sources[member] = array ? array + offset : ranks_.part(member) + slot;
  }
}

Status NodeRows::await_taken(const ChunkRow &row) {
  // SYNC taken-before-worked-anew (pairs with publish_taken)
  const auto slots = static_cast<std::uint64_t>(plan_.layout.result_slots);
  return row.serial < slots ? Status::ok : ranks_.await_all(&Milestones::taken, row.serial + 1 - slots);
}

void NodeRows::publish_worked(const ChunkRow &row) {
  // SYNC combined-before-given-anew (pairs with give), worked-before-taken (pairs with take)
  ranks_.publish(ranks_.words(ranks_.me()).worked, row.serial + 1);
}

Status NodeRows::take(const ChunkRow &row, char *out) {
  for (int lane = 0; lane < plan_.cut.lanes; ++lane) {
    const Member driver = lane % ranks_.members();
    const Range range = plan_.cut.chunk_of(row, lane);
    if (driver == ranks_.me() || range.count == 0) continue;
    // SYNC worked-before-taken (pairs with publish_worked)
    HLC_TRY(ranks_.await([&] { return reached(ranks_.words(driver).worked, row.serial + 1); }, -1 - driver));
    const std::int64_t offset = plan_.cut.offset(range);
    const char *from = arrays_.out(driver)
                           ? arrays_.out(driver) + offset
                           : ranks_.part(driver) + plan_.layout.result_at(driver, result_slot(row), lane / ranks_.members());
    copy_result(out + offset, from, plan_.cut.bytes(range), plan_.past_caches);
  }
  return Status::ok;
}

void NodeRows::publish_taken(const ChunkRow &row) {
  // SYNC taken-before-worked-anew (pairs with await_taken)
  ranks_.publish(ranks_.words(ranks_.me()).taken, row.serial + 1);
}

}  // namespace halocline::core
