// The loops of reductions of many elements: on one node, and round the ring over several.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/pipeline.hpp"

#include <cstring>

#include "base/stream.hpp"

namespace halocline::core {

ManyOnOneNode::ManyOnOneNode(const ReducePlan &plan, NodeRanks &ranks, Fields &fields)
    : plan_(plan), ranks_(ranks), rows_(plan, ranks, fields), sources_(static_cast<std::size_t>(ranks.members())) {}

Status ManyOnOneNode::run(RunArrays arrays) {
  const NodeRows::Opened opened(rows_);
  HLC_TRY(rows_.open(arrays));
  HLC_TRY(pass_rows(arrays));
  return rows_.close(rows_before_);
}

Status ManyOnOneNode::pass_rows(RunArrays arrays) {
  const std::int64_t rows = plan_.cut.rounds;
  const auto row = [this](std::int64_t round) { return ChunkRow{rows_before_ + static_cast<std::uint64_t>(round), round, 0}; };
  for (std::int64_t turn = 0; turn < rows + 2; ++turn) {
    if (turn < rows) HLC_TRY(rows_.give(row(turn), arrays.in));
    if (turn >= 1 && turn <= rows) HLC_TRY(work(row(turn - 1), arrays));
    if (turn >= 2) {
      HLC_TRY(rows_.take(row(turn - 2), arrays.out));
      rows_.publish_taken(row(turn - 2));
    }
  }
  if (plan_.past_caches) stream_fence();
  rows_before_ += static_cast<std::uint64_t>(rows);
  return Status::ok;
}

Status ManyOnOneNode::work(const ChunkRow &row, RunArrays arrays) {
  HLC_TRY(rows_.await_given(row));
  HLC_TRY(rows_.await_taken(row));
  for (int index = 0; index < plan_.layout.lanes_of(ranks_.me()); ++index) combine(row, index, arrays);
  rows_.publish_worked(row);
  return Status::ok;
}

/// A result goes straight into my array if no other rank takes it from my slot, and the array overlaps no source but the first.
void ManyOnOneNode::combine(const ChunkRow &row, int index, RunArrays arrays) {
  const int lane = ranks_.me() + index * ranks_.members();
  const Range range = plan_.cut.chunk_of(row, lane);
  if (range.count == 0) return;
  rows_.list_elements(row, lane, arrays.in, sources_.data());
  char *mine = arrays.out + plan_.cut.offset(range);
  const bool straight = !rows_.shows_slots() && (mine == sources_[0] || arrays.in != arrays.out);
  char *to = straight ? mine : rows_.my_result(row, index);
  plan_.combiner.fold(to, sources_.data(), ranks_.members(), range.count, {straight ? nullptr : mine, rows_.streams()});
}

ManyOnNodes::ManyOnNodes(const ReducePlan &plan, NodeRanks &ranks, Ring &ring, Fields &fields, int node)
    : plan_(plan),
      ranks_(ranks),
      ring_(ring),
      rows_(plan, ranks, fields),
      node_(node),
      sources_(static_cast<std::size_t>(ranks.members()) + 1) {}

Status ManyOnNodes::run(RunArrays arrays) {
  const NodeRows::Opened opened(rows_);
  HLC_TRY(rows_.open(arrays));
  HLC_TRY(pass_units(arrays));
  HLC_TRY(rows_.close(units_before_));
  return ranks_.await_quiet();
}

Status ManyOnNodes::pass_units(RunArrays arrays) {
  Units ahead(plan_.cut), here(plan_.cut), behind(plan_.cut);
  const std::int64_t units = plan_.cut.units();
  for (std::int64_t turn = 0; turn < units + 2; ++turn) {
    if (turn < units) {
      HLC_TRY(give(ahead, arrays.in));
      ahead.next();
    }
    if (turn >= 1 && turn <= units) {
      HLC_TRY(work(here, arrays));
      here.next();
    }
    if (turn >= 2) {
      HLC_TRY(take(behind, arrays.out));
      behind.next();
    }
  }
  if (plan_.past_caches) stream_fence();
  units_before_ += static_cast<std::uint64_t>(units);
  return Status::ok;
}

Status ManyOnNodes::give(const Units &unit, const char *in) { return unit.combines() ? rows_.give(row(unit), in) : Status::ok; }

Status ManyOnNodes::work(const Units &unit, RunArrays arrays) {
  HLC_TRY(ring_.progress());
  // Waits for all ranks, also those that have given no elements: other nodes count a slot as free because of this wait (ring.hpp).
  if (unit.combines()) HLC_TRY(rows_.await_given(row(unit)));
  HLC_TRY(rows_.await_taken(row(unit)));
  for (int index = 0; index < plan_.layout.lanes_of(ranks_.me()); ++index) {
    const Range range = plan_.cut.chunk_of(row(unit), lane(index));
    if (range.count == 0) continue;
    HLC_TRY(await_chunk(unit, index, range));
    if (unit.combines())
      combine(unit, index, range, arrays);
    else
      hand_on(unit, index, range, arrays.out);
    if (unit.step() > 0) ring_.release(index);
    if (unit.sends()) HLC_TRY(send(unit, index, range));
  }
  rows_.publish_worked(row(unit));
  return Status::ok;
}

/// Combines what arrived from the node before, unless this is step 0, with my node's elements.
void ManyOnNodes::combine(const Units &unit, int index, Range range, RunArrays arrays) {
  const int received = unit.step() > 0 ? 1 : 0;
  if (received > 0) sources_[0] = ring_.incoming(index);
  rows_.list_elements(row(unit), lane(index), arrays.in, sources_.data() + received);
  char *mine = unit.is_final() ? arrays.out + plan_.cut.offset(range) : nullptr;
  plan_.combiner.fold(rows_.my_result(row(unit), index), sources_.data(), ranks_.members() + received, range.count,
                      {mine, rows_.streams()});
}

/// Copies a result that arrived from the node before into my array. If other ranks need it, copies it into my result slot, too.
void ManyOnNodes::hand_on(const Units &unit, int index, Range range, char *out) {
  const char *received = ring_.incoming(index);
  const std::int64_t bytes = plan_.cut.bytes(range);
  copy_result(out + plan_.cut.offset(range), received, bytes, rows_.streams());
  if (rows_.shows_slots() || unit.sends()) std::memcpy(rows_.my_result(row(unit), index), received, static_cast<std::size_t>(bytes));
}

/// Waits for the unit's chunk from the node before, and until the last content of its result slot has left for the node after.
Status ManyOnNodes::await_chunk(const Units &unit, int index, Range range) {
  HLC_TRY(ranks_.await([&] { return ring_.has_left(index, rows_.result_slot(row(unit))); }, ring_.after(index)));
  if (unit.step() == 0) return Status::ok;
  ring_.expect(index, plan_.cut.bytes(range));
  return ranks_.await([&] { return ring_.has_arrived(index); }, ring_.before(index));
}

Status ManyOnNodes::send(const Units &unit, int index, Range range) {
  HLC_TRY(ranks_.await([&] { return ring_.has_room(index); }, ring_.after(index)));
  ring_.send(index, rows_.result_slot(row(unit)), plan_.cut.bytes(range));
  return Status::ok;
}

Status ManyOnNodes::take(const Units &unit, char *out) {
  if (unit.is_final()) HLC_TRY(rows_.take(row(unit), out));
  rows_.publish_taken(row(unit));
  return Status::ok;
}

}  // namespace halocline::core
