// The tree of a reduction, and the pieces that go along it.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/sync/group_reduction.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/network/request_pool.hpp"

namespace halocline::core {
namespace {

/// Over the network a piece is short enough to be copied when it is sent, so that its source need not be kept.
std::int64_t piece_bytes(const GroupLinks &links, const GroupPartner &partner) {
  const std::int64_t slot = GroupLayout::slot_bytes(links.handle());
  return partner.memory->is_near() ? slot : std::min(slot, Request::kShort);
}

}  // namespace

void GroupReduction::open(const GroupLayout &layout) {
  sent_.assign(static_cast<std::size_t>(layout.rounds()) + 1, 0);
  received_.assign(sent_.size(), 0);
}

void GroupReduction::begin(const SmallReduction &reduction) {
  const auto bytes = static_cast<std::size_t>(reduction.bytes);
  value_.resize(bytes);
  other_.resize(bytes);
  std::memcpy(value_.data(), reduction.operand, bytes);
  stage_ = Stage::up;
  round_ = 0;
  moved_ = 0;
  has_other_ = false;
  pending_notify_ = PendingNotify();
}

Status GroupReduction::go_on(GroupResources &resources, GroupLinks &links, const SmallReduction &reduction) {
  const Step step{resources, links, reduction};
  if (stage_ == Stage::up) {
    if (const Status gathered = gather(step); gathered != Status::ok) return gathered;
    stage_ = Stage::receive;
  }
  if (stage_ == Stage::receive) {
    if (const Status received = receive_result(step); received != Status::ok) return received;
    round_ = links.rounds() - 1;
    stage_ = Stage::down;
  }
  return hand_out(step);
}

/// Operands go up the tree, into the slot of their round: from this member to the one below, or to this one from that above.
GroupReduction::Stream GroupReduction::up(const Step &step, int round, bool sends) {
  const int last = step.resources.layout.rounds();
  if (sends) return {&step.links.below(), round, last, &sent_[static_cast<std::size_t>(last)]};
  return {&step.links.above(round), round, last, &received_[static_cast<std::size_t>(round)]};
}

/// The result goes down the tree, into the slot for results: from this member to the one above, or to this one from that below.
GroupReduction::Stream GroupReduction::down(const Step &step, int round, bool sends) {
  const int last = step.resources.layout.rounds();
  if (sends) return {&step.links.above(round), last, round, &sent_[static_cast<std::size_t>(round)]};
  return {&step.links.below(), last, round, &received_[static_cast<std::size_t>(last)]};
}

/// Up the tree: combines the values that stand for the ranks above, round by round, then sends the combination to the member below.
Status GroupReduction::gather(const Step &step) {
  const int index = step.links.index();
  for (; round_ < step.links.rounds(); ++round_) {
    const int distance = 1 << round_;
    if ((index & distance) != 0) return send(step, up(step, round_, true));
    if (index + distance >= step.links.size()) continue;
    if (!has_other_)
      if (const Status received = receive(step, up(step, round_, false), other_); received != Status::ok) return received;
    has_other_ = true;
    const Status combined = step.reduction.combine(step.reduction.what, value_.data(), other_.data());
    if (combined != Status::ok) return combined;
    has_other_ = false;
  }
  return Status::ok;
}

Status GroupReduction::receive_result(const Step &step) {
  if (step.links.index() == 0) return Status::ok;
  const int round = std::countr_zero(static_cast<unsigned>(step.links.index()));
  return receive(step, down(step, round, false), value_);
}

/// Down the tree: sends the result to the members whose values arrived here.
Status GroupReduction::hand_out(const Step &step) {
  const int index = step.links.index();
  for (; round_ >= 0; --round_) {
    const int distance = 1 << round_;
    if (distance > (index & -index) - 1 && index != 0) continue;
    if (index + distance >= step.links.size()) continue;
    if (const Status sent = send(step, down(step, round_, true)); sent != Status::ok) return sent;
  }
  std::memcpy(step.reduction.result, value_.data(), static_cast<std::size_t>(step.reduction.bytes));
  return step.resources.test_outgoing(step.resources.calls.reduction);
}

/// Sends `value_` in pieces, each after the partner has taken the piece before.
Status GroupReduction::send(const Step &step, const Stream &stream) {
  const GroupResources &resources = step.resources;
  const GroupLayout &layout = resources.layout;
  RemoteMemory &memory = *stream.partner->memory;
  const int handle = stream.partner->handle;
  while (moved_ < step.reduction.bytes) {
    // SYNC copied-before-next-piece (pairs with receive): the slot is free. The last piece of an operand needs no such word: the data sent
    // back depend on it.
    if (moved_ > 0 && !resources.has_arrived(layout.taken_word(step.links.handle(), stream.taken), *stream.pieces)) return Status::again;
    if (const Status room = memory.find_room(resources.calls.reduction); room != Status::ok) return room;
    const std::int64_t some = std::min(step.reduction.bytes - moved_, piece_bytes(step.links, *stream.partner));
    const MonotonicWord arrival{layout.reduction_word(handle, stream.slot), *stream.pieces + 1};
    const std::int64_t slot = layout.slot(handle, stream.slot);
    const Status sent = put_and_raise(resources.calls.reduction, {memory, slot}, {value_.data() + moved_, some}, arrival, pending_notify_);
    if (sent != Status::ok) return sent;
    pending_notify_ = PendingNotify();
    *stream.pieces += 1;
    moved_ += some;
  }
  moved_ = 0;
  return Status::ok;
}

Status GroupReduction::receive(const Step &step, const Stream &stream, std::vector<char> &into) {
  const GroupResources &resources = step.resources;
  const GroupLayout &layout = resources.layout;
  const int handle = step.links.handle();
  RemoteMemory &memory = *stream.partner->memory;
  const char *slot = resources.control.mine().data() + layout.slot(handle, stream.slot);
  while (moved_ < step.reduction.bytes) {
    if (!resources.has_arrived(layout.reduction_word(handle, stream.slot), *stream.pieces + 1)) return Status::again;
    if (const Status room = memory.find_room(resources.calls.reduction); room != Status::ok) return room;
    const std::int64_t some = std::min(step.reduction.bytes - moved_, piece_bytes(step.links, *stream.partner));
    std::memcpy(into.data() + moved_, slot, static_cast<std::size_t>(some));
    *stream.pieces += 1;
    moved_ += some;
    if (moved_ == step.reduction.bytes) continue;
    // SYNC copied-before-next-piece (pairs with send)
    HLC_TRY(raise_word(resources.calls.reduction, memory, {layout.taken_word(stream.partner->handle, stream.taken), *stream.pieces}));
  }
  moved_ = 0;
  return Status::ok;
}

}  // namespace halocline::core
