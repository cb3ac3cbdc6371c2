// GASPI 17.1, section 9: passive messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/passive.hpp"

#include <cstring>

#include "faces/gaspi/posting.hpp"
#include "faces/gaspi/profiling.hpp"

namespace halocline::gaspi {
namespace {

constexpr const char *kSend = "gaspi_passive_send", *kReceive = "gaspi_passive_receive", *kPurge = "gaspi_passive_queue_purge";

/// A message as its notification tells of it. Senders are counted from 1, so that the value is not 0.
struct Envelope {
  unsigned sender, bytes;
  static constexpr unsigned kShift = 16;
  gaspi_notification_t value() const { return (sender + 1) << kShift | bytes; }
  static Envelope of(gaspi_notification_t value) { return {(value >> kShift) - 1, value & ((1u << kShift) - 1)}; }
};

/// The owner of a box as it stands there.
std::uint64_t owner_of(int rank) { return static_cast<std::uint64_t>(rank) + 1; }

std::atomic_ref<std::uint64_t> my_box(Job &job) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t *>(job.parts.control().data() + Plan::box()));
}

}  // namespace

Status Passive::take_box(Job &job, PeerPart &control, Box &box) {
  if (box.mine) return Status::ok;
  std::uint64_t owner = 0;
  const Status asked = control.compare_swap(kSend, Plan::box(), 0, owner_of(job.rank()), box.question, &owner);
  if (asked != Status::ok) return asked;
  // SYNC received-before-box (pairs with receive)
  box.mine = owner == 0;
  return box.mine ? Status::ok : Status::again;
}

/// Data of a message that somebody has begun to write, and not announced, may come late: `again` until they are there.
Status Passive::await_written(Job &job, int rank, Box &box) {
  Announcing &announcing = box.announcing;
  if (announcing.done == 0) return Status::ok;
  Traffic &traffic = *job.context.network().traffic();
  if (!announcing.begun) announcing = {true, traffic.begin_drain(rank, false), announcing.done};
  const Status come = traffic.look(announcing.before, kSend);
  if (come == Status::ok) announcing = Announcing();
  return come;
}

Status Passive::begin(Job &job, Box &box, const Parcel &parcel) {
  if (box.parcel != parcel)
    if (const Status written = await_written(job, parcel.rank, box); written != Status::ok) return written;
  box.parcel = parcel;
  return Status::ok;
}

Status Passive::deliver(Job &job, PeerPart &control, const Parcel &parcel, const char *data) {
  Box &box = boxes_[parcel.rank];
  if (const Status taken = take_box(job, control, box); taken != Status::ok) return taken;
  if (const Status room = control.find_room(kSend); room != Status::ok) return room;
  if (const Status begun = begin(job, box, parcel); begun != Status::ok) return begun;
  const Envelope envelope{static_cast<unsigned>(job.rank()), static_cast<unsigned>(parcel.bytes)};
  const auto bytes = static_cast<std::int64_t>(parcel.bytes);
  const Status put = control.put_notify(kSend, job.plan().message(), data, bytes, {Plan::kMessageCame, envelope.value()}, box.announcing);
  if (put == Status::ok) box = Box();
  return put;
}

Status Passive::send(Job &job, PeerPart &control, const Parcel &parcel, const char *data) {
  const std::lock_guard lock(sending_mutex_);
  if (leaving_.count(parcel) == 0) {
    if (const Status delivered = deliver(job, control, parcel, data); delivered != Status::ok || control.is_near()) return delivered;
    leaving_[parcel] = job.context.network().traffic()->begin_drain(parcel.rank, false);
  }
  const Status left = job.context.network().traffic()->look(leaving_[parcel], kSend);
  if (left != Status::again) leaving_.erase(parcel);
  return left;
}

Status Passive::give_back(Job &job, int rank, Box &box) {
  PeerPart *control = nullptr;
  HLC_TRY(job.parts.find_control(rank, &control));
  if (box.question.flight && !box.returns)
    if (const Status taken = take_box(job, *control, box); failed(taken) || box.question.flight) return taken;
  if (!box.mine) return Status::ok;
  if (const Status written = await_written(job, rank, box); written != Status::ok) return written;
  box.returns = true;
  std::uint64_t owner = 0;
  return control->compare_swap(kPurge, Plan::box(), owner_of(job.rank()), 0, box.question, &owner);
}

Status Passive::give_back(Job &job) {
  const std::lock_guard lock(sending_mutex_);
  leaving_.clear();
  while (!boxes_.empty()) {
    const auto box = boxes_.begin();
    if (const Status given = give_back(job, box->first, box->second); given == Status::again) return given;
    boxes_.erase(box);
  }
  return Status::ok;
}

/// Who has taken the box and died before its message was there will not send it.
void Passive::free_lost_box(Job &job) {
  std::uint64_t owner = my_box(job).load(std::memory_order_acquire);
  if (owner == 0 || !job.watch.is_lost(static_cast<int>(owner - 1))) return;
  if (job.parts.control().words().notifications.seen(Plan::kMessageCame) == 0) my_box(job).compare_exchange_strong(owner, 0);
}

Status Passive::receive(Job &job, char *into, std::uint64_t room, int *sender, bool *fits) {
  const std::lock_guard lock(receiving_mutex_);
  const OwnPart &control = job.parts.control();
  const gaspi_notification_t value = control.words().notifications.seen(Plan::kMessageCame);
  if (value == 0) {
    if (job.watch.knows_any()) free_lost_box(job);
    return Status::again;
  }
  const Envelope envelope = Envelope::of(value);
  *fits = envelope.bytes <= room;
  if (!*fits) return Status::ok;
  std::memcpy(into, control.data() + job.plan().message(), envelope.bytes);
  *sender = static_cast<int>(envelope.sender);
  control.words().notifications.take(Plan::kMessageCame);
  // SYNC received-before-box (pairs with send): the next message is written when this one has been read.
  my_box(job).store(0, std::memory_order_release);
  return Status::ok;
}

namespace {

gaspi_return_t check(const Job &job, gaspi_size_t size, const OwnPart *part, gaspi_offset_t offset) {
  if (size > job.config.passive_transfer_size_max) return GASPI_ERR_INV_COMMSIZE;
  if (!part) return GASPI_ERR_INV_SEG;
  return lies_within(offset, size, part->bytes()) ? GASPI_SUCCESS : GASPI_ERR_INV_LOC_OFF;
}

/// Looks for a message; where there is none, fails once for each rank that is newly lost: it may have been the sender.
Status look_for(Job &job, int known, char *into, gaspi_size_t room, int *sender, bool *fits) {
  const Status received = job.passive.receive(job, into, room, sender, fits);
  if (received != Status::again) return received;
  const Status news = job.watch.tell_news(kReceive, known);
  return failed(news) ? news : Status::again;
}

}  // namespace
}  // namespace halocline::gaspi

using namespace halocline::gaspi;
using halocline::OwnPart;
using halocline::PeerPart;
using halocline::Status;

extern "C" {

gaspi_return_t pgaspi_passive_send(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank, gaspi_size_t size,
                                   gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    const std::shared_ptr<OwnPart> own = job.parts.keep(segment_id_local);
    if (rank >= job.size()) return GASPI_ERR_INV_RANK;
    if (const gaspi_return_t wrong = check(job, size, own.get(), offset_local); wrong != GASPI_SUCCESS) return wrong;
    PeerPart *control = nullptr;
    if (const Status found = job.parts.find_control(rank, &control); failed(found)) return answer(found);
    const Parcel parcel{rank, segment_id_local, offset_local, size};
    const auto look = [&] {
      if (job.watch.knows_any() && job.watch.is_lost(rank)) return job.watch.tell(kSend, rank);
      return job.passive.send(job, *control, parcel, own->data() + offset_local);
    };
    return until(job, kSend, timeout_ms, look, halocline::WakeUp::by_polling);
  });
}

gaspi_return_t pgaspi_passive_receive(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t *rem_rank,
                                      gaspi_size_t size, gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    if (!rem_rank) return GASPI_ERR_NULLPTR;
    const std::shared_ptr<OwnPart> own = job.parts.keep(segment_id_local);
    if (const gaspi_return_t wrong = check(job, size, own.get(), offset_local); wrong != GASPI_SUCCESS) return wrong;
    bool fits = true;
    int sender = 0;
    const int known = job.watch.count();
    const auto look = [&] { return look_for(job, known, own->data() + offset_local, size, &sender, &fits); };
    const gaspi_return_t received = until(job, kReceive, timeout_ms, look);
    if (received == GASPI_SUCCESS && fits) *rem_rank = static_cast<gaspi_rank_t>(sender);
    return received == GASPI_SUCCESS && !fits ? GASPI_ERR_INV_SIZE : received;
  });
}

gaspi_return_t pgaspi_passive_queue_purge(gaspi_timeout_t timeout_ms) {
  return enter(
      [&](Job &job) { return until(job, kPurge, timeout_ms, [&] { return job.passive.give_back(job); }, halocline::WakeUp::by_polling); });
}

gaspi_return_t pgaspi_passive_transfer_size_min(gaspi_size_t *passive_transfer_size_min) {
  return get(passive_transfer_size_min, [](const Job &) { return 0; });
}
gaspi_return_t pgaspi_passive_transfer_size_max(gaspi_size_t *passive_transfer_size_max) {
  return get(passive_transfer_size_max, [](const Job &job) { return job.config.passive_transfer_size_max; });
}

HLC_WEAK_ALIAS(passive_send);
HLC_WEAK_ALIAS(passive_receive);
HLC_WEAK_ALIAS(passive_queue_purge);
HLC_WEAK_ALIAS(passive_transfer_size_min);
HLC_WEAK_ALIAS(passive_transfer_size_max);

}  // extern "C"
