// GASPI 17.1, section 9: passive messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/posting.hpp"
#include "faces/gaspi/profiling.hpp"

namespace halocline::core::gaspi {
namespace {

gaspi_return_t check(const Job &job, gaspi_size_t size, const LocalMemory *part, gaspi_offset_t offset) {
  if (size > job.config.passive_transfer_size_max) return GASPI_ERR_INV_COMMSIZE;
  if (!part) return GASPI_ERR_INV_SEG;
  return lies_within(offset, size, part->bytes()) ? GASPI_SUCCESS : GASPI_ERR_INV_LOC_OFF;
}

/// Looks for a message; where there is none, fails once for each rank that is newly lost: it may have been the sender.
Status look_for(Job &job, int known, char *into, gaspi_size_t room, int *sender, bool *fits) {
  const Status received = job.passive.receive(job, into, room, sender, fits);
  if (received != Status::again) return received;
  const Status loss = job.watch.send_notice(Passive::kReceive, known);
  return failed(loss) ? loss : Status::again;
}

}  // namespace
}  // namespace halocline::core::gaspi

using namespace halocline::core::gaspi;
using halocline::core::LocalMemory;
using halocline::core::RemoteMemory;
using halocline::core::Status;

extern "C" {

gaspi_return_t pgaspi_passive_send(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank, gaspi_size_t size,
                                   gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    const std::shared_ptr<LocalMemory> own = job.parts.keep(segment_id_local);
    if (rank >= job.size()) return GASPI_ERR_INV_RANK;
    if (const gaspi_return_t wrong = check(job, size, own.get(), offset_local); wrong != GASPI_SUCCESS) return wrong;
    RemoteMemory *control = nullptr;
    if (const Status found = job.parts.find_control(rank, &control); failed(found)) return answer(found);
    const Parcel parcel{rank, segment_id_local, offset_local, size};
    const auto look = [&] {
      if (job.watch.knows_any() && job.watch.is_lost(rank)) return job.watch.report(Passive::kSend, rank);
      return job.passive.send(job, *control, parcel, own->data() + offset_local);
    };
    return until(job, Passive::kSend, timeout_ms, look, halocline::core::WakeUp::by_polling);
  });
}

gaspi_return_t pgaspi_passive_receive(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t *rem_rank,
                                      gaspi_size_t size, gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    if (!rem_rank) return GASPI_ERR_NULLPTR;
    const std::shared_ptr<LocalMemory> own = job.parts.keep(segment_id_local);
    if (const gaspi_return_t wrong = check(job, size, own.get(), offset_local); wrong != GASPI_SUCCESS) return wrong;
    bool fits = true;
    int sender = 0;
    const int known = job.watch.count();
    const auto look = [&] { return look_for(job, known, own->data() + offset_local, size, &sender, &fits); };
    const gaspi_return_t received = until(job, Passive::kReceive, timeout_ms, look);
    if (received == GASPI_SUCCESS && fits) *rem_rank = static_cast<gaspi_rank_t>(sender);
    return received == GASPI_SUCCESS && !fits ? GASPI_ERR_INV_SIZE : received;
  });
}

gaspi_return_t pgaspi_passive_queue_purge(gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    return until(job, Passive::kPurge, timeout_ms, [&] { return job.passive.release(job); }, halocline::core::WakeUp::by_polling);
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
