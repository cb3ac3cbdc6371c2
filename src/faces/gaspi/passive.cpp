// GASPI 17.1, section 9: passive messages. Each rank has one box; who wants to send takes it, writes the message and says so, and the receiver
// gives the box free again.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "faces/gaspi/posting.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::gaspi;
using halocline::OwnPart;
using halocline::PeerPart;
using halocline::Status;

namespace {

constexpr const char *kSend = "gaspi_passive_send", *kReceive = "gaspi_passive_receive";

/// A message as its notification tells of it. Senders are counted from 1, so that the value is not 0.
struct Envelope {
  unsigned sender, bytes;
  static constexpr unsigned kShift = 16;
  gaspi_notification_t value() const { return (sender + 1) << kShift | bytes; }
  static Envelope of(gaspi_notification_t value) { return {(value >> kShift) - 1, value & ((1u << kShift) - 1)}; }
};

/// Takes the box, writes, and is done when the data may be changed again.
Status send(Job &job, PeerPart &control, const char *data, unsigned bytes) {
  const std::lock_guard lock(job.passive.sending_mutex);
  const auto me = std::this_thread::get_id();
  const auto begun = job.passive.sending.find(me);
  if (begun == job.passive.sending.end()) {
    const Envelope envelope{static_cast<unsigned>(job.rank()), bytes};
    std::uint64_t owner = 0;
    HLC_TRY(control.compare_swap(kSend, Plan::box(), 0, envelope.sender + 1, &owner));
    // SYNC received-before-box (pairs with receive)
    if (owner != 0) return Status::again;
    HLC_TRY(control.put_notify(kSend, job.plan().message(), data, bytes, {Plan::kMessageCame, envelope.value()}));
    if (control.is_near()) return Status::ok;
    job.passive.sending[me] = job.context.network().traffic()->begin_drain(control.rank(), false);
  }
  const Status over = job.context.network().traffic()->look(job.passive.sending[me], kSend);
  if (over != Status::again) job.passive.sending.erase(me);
  return over;
}

Status receive(Job &job, char *into, gaspi_size_t room, gaspi_rank_t *sender, bool *fits) {
  const std::lock_guard lock(job.passive.receiving_mutex);
  const OwnPart &control = job.parts.control();
  const gaspi_notification_t value = control.words().notifications.seen(Plan::kMessageCame);
  if (value == 0) return Status::again;
  const Envelope envelope = Envelope::of(value);
  *fits = envelope.bytes <= room;
  if (!*fits) return Status::ok;
  std::memcpy(into, control.data() + job.plan().message(), envelope.bytes);
  *sender = static_cast<gaspi_rank_t>(envelope.sender);
  control.words().notifications.take(Plan::kMessageCame);
  // SYNC received-before-box (pairs with send): the next message is written when this one has been read.
  std::atomic_ref(*reinterpret_cast<std::uint64_t *>(control.data() + Plan::box())).store(0, std::memory_order_release);
  return Status::ok;
}

gaspi_return_t check(const Job &job, gaspi_size_t size, const OwnPart *part, gaspi_offset_t offset) {
  if (size > job.config.passive_transfer_size_max) return GASPI_ERR_INV_COMMSIZE;
  if (!part) return GASPI_ERR_INV_SEG;
  return lies_within(offset, size, part->bytes()) ? GASPI_SUCCESS : GASPI_ERR_INV_LOC_OFF;
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_passive_send(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank, gaspi_size_t size,
                                   gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    const std::shared_ptr<OwnPart> own = job.parts.keep(segment_id_local);
    if (rank >= job.size()) return GASPI_ERR_INV_RANK;
    if (const gaspi_return_t wrong = check(job, size, own.get(), offset_local); wrong != GASPI_SUCCESS) return wrong;
    PeerPart *control = nullptr;
    if (const Status found = job.parts.find_control(rank, &control); failed(found)) return answer(found);
    const auto look = [&] { return send(job, *control, own->data() + offset_local, static_cast<unsigned>(size)); };
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
    const auto look = [&] { return receive(job, own->data() + offset_local, size, rem_rank, &fits); };
    const gaspi_return_t received = until(job, kReceive, timeout_ms, look);
    return received == GASPI_SUCCESS && !fits ? GASPI_ERR_INV_SIZE : received;
  });
}

gaspi_return_t pgaspi_passive_queue_purge(gaspi_timeout_t) {
  return enter([](Job &job) {
    const std::lock_guard lock(job.passive.sending_mutex);
    job.passive.sending.clear();
    return GASPI_SUCCESS;
  });
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
