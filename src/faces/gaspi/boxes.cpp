// Taking boxes, writing into them, and reading one's own.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/boxes.hpp"

#include <cstring>

#include "engine/network/request_engine.hpp"

namespace halocline::core::gaspi {
namespace {

/// A message's sender and size, as its notification's value holds them. Senders are counted from 1, so that the value is not 0.
struct Envelope {
  unsigned sender, bytes;
  static constexpr unsigned kShift = 16;
  gaspi_notification_t value() const { return (sender + 1) << kShift | bytes; }
  static Envelope of(gaspi_notification_t value) { return {(value >> kShift) - 1, value & ((1u << kShift) - 1)}; }
};

/// The value of a box that a rank has taken.
std::uint64_t owner_of(int rank) { return static_cast<std::uint64_t>(rank) + 1; }

std::atomic_ref<std::uint64_t> my_box(Session &session) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t *>(session.parts.control().data() + Plan::box()));
}

}  // namespace

Status Passive::take_box(Session &session, RemoteMemory &control, Box &box) {
  // A purge has begun to return the box, and has not seen the end of it.
  if (box.returns)
    if (const Status given = give_back(session, control, box); given != Status::ok) return given;
  if (box.mine) return Status::ok;
  const std::uint64_t no_owner = 0, me = owner_of(session.rank());
  std::uint64_t owner = 0;
  const Status asked = compare_swap(kSend, {control, Plan::box()}, HLC_NUMBER_UINT64, {&no_owner, &me, &owner}, box.query);
  if (asked != Status::ok) return asked;
  // SYNC received-before-box (pairs with receive)
  box.mine = owner == 0;
  return box.mine ? Status::ok : Status::again;
}

Status Passive::give_back(Session &session, RemoteMemory &control, Box &box) {
  box.returns = true;
  const std::uint64_t no_owner = 0, me = owner_of(session.rank());
  const Status given = compare_swap(kPurge, {control, Plan::box()}, HLC_NUMBER_UINT64, {&me, &no_owner, nullptr}, box.query);
  if (given == Status::ok) box = Box();
  return given;
}

/// Data of a message that was begun and not announced may arrive late: `again` until their transfers have ended.
Status Passive::await_written(Session &session, int rank, Box &box) {
  PendingNotify &pending = box.pending;
  if (pending.done == 0) return Status::ok;
  RequestEngine &requests = *session.context.network().requests();
  if (!pending.begun) pending = {true, requests.begin_flush(rank, false), pending.done};
  const Status flushed = requests.look(pending.before, kSend);
  if (flushed == Status::ok) pending = PendingNotify();
  return flushed;
}

Status Passive::begin(Session &session, Box &box, const Parcel &parcel) {
  if (box.parcel != parcel)
    if (const Status written = await_written(session, parcel.rank, box); written != Status::ok) return written;
  box.parcel = parcel;
  return Status::ok;
}

Status Passive::deliver(Session &session, RemoteMemory &control, const Parcel &parcel, const char *data) {
  Box &box = boxes_[parcel.rank];
  if (const Status taken = take_box(session, control, box); taken != Status::ok) return taken;
  if (const Status room = control.find_room(kSend); room != Status::ok) return room;
  if (const Status begun = begin(session, box, parcel); begun != Status::ok) return begun;
  const Envelope envelope{static_cast<unsigned>(session.rank()), static_cast<unsigned>(parcel.bytes)};
  const auto bytes = static_cast<std::int64_t>(parcel.bytes);
  const Status put =
      put_notify(kSend, {control, session.plan().message()}, {data, bytes}, {Plan::kMessageArrived, envelope.value()}, box.pending);
  if (put == Status::ok) box = Box();
  return put;
}

Status Passive::send(Session &session, RemoteMemory &control, const Parcel &parcel, const char *data) {
  const std::lock_guard lock(sending_mutex_);
  if (leaving_.count(parcel) == 0) {
    if (const Status delivered = deliver(session, control, parcel, data); delivered != Status::ok || control.is_near()) return delivered;
    leaving_[parcel] = session.context.network().requests()->begin_flush(parcel.rank, false);
  }
  const Status left = session.context.network().requests()->look(leaving_[parcel], kSend);
  if (left != Status::again) leaving_.erase(parcel);
  return left;
}

Status Passive::release(Session &session, int rank, Box &box) {
  RemoteMemory *control = nullptr;
  HLC_TRY(session.parts.find_control(rank, &control));
  if (box.query.request && !box.returns)
    if (const Status taken = take_box(session, *control, box); failed(taken) || box.query.request) return taken;
  if (!box.mine) return Status::ok;
  if (const Status written = await_written(session, rank, box); written != Status::ok) return written;
  return give_back(session, *control, box);
}

Status Passive::release(Session &session) {
  const std::lock_guard lock(sending_mutex_);
  leaving_.clear();
  while (!boxes_.empty()) {
    const auto box = boxes_.begin();
    if (const Status given = release(session, box->first, box->second); given == Status::again) return given;
    boxes_.erase(box);
  }
  return Status::ok;
}

/// Frees the box if the rank that has taken it was lost before its message arrived.
void Passive::free_lost_box(Session &session) {
  std::uint64_t owner = my_box(session).load(std::memory_order_acquire);
  if (owner == 0 || !session.watch.is_lost(static_cast<int>(owner - 1))) return;
  if (session.parts.control().words().notifications.seen(Plan::kMessageArrived) == 0) my_box(session).compare_exchange_strong(owner, 0);
}

Status Passive::receive(Session &session, char *into, std::uint64_t room, int *sender, bool *fits) {
  const std::lock_guard lock(receiving_mutex_);
  const LocalMemory &control = session.parts.control();
  const gaspi_notification_t value = control.words().notifications.seen(Plan::kMessageArrived);
  if (value == 0) {
    if (session.watch.knows_any()) free_lost_box(session);
    return Status::again;
  }
  const Envelope envelope = Envelope::of(value);
  *fits = envelope.bytes <= room;
  if (!*fits) return Status::ok;
  std::memcpy(into, control.data() + session.plan().message(), envelope.bytes);
  *sender = static_cast<int>(envelope.sender);
  control.words().notifications.take(Plan::kMessageArrived);
  // SYNC received-before-box (pairs with send): the next message is written when this one has been read.
  my_box(session).store(0, std::memory_order_release);
  return Status::ok;
}

}  // namespace halocline::core::gaspi
