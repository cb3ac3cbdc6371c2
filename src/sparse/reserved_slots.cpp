// SPDX-License-Identifier: BSD-3-Clause
#include "sparse/reserved_slots.hpp"

namespace halocline::core {

Status ReservedSlots::find(const char *call, const RemoteMemory &memory, std::uint64_t round, std::uint32_t *slot) {
  *slot = kNone;
  if (layout_.pairs == 0) return Status::ok;
  auto found = pairs_.find(memory.rank());
  if (found == pairs_.end()) {
    if (pairs_.size() >= layout_.slots) return Status::ok;
    found = pairs_.emplace(memory.rank(), Pair{}).first;
  }
  Pair &pair = found->second;
  if (!pair.known) {
    const std::int64_t one = 1;
    std::int64_t before = 0;
    const Status status = fetch_op(call, {memory, SparseSlots::kReservations}, SparseSlots::kAdd, {&one, &before}, pair.query);
    if (status != Status::ok) return status;
    pair.known = true;
    if (before < layout_.pairs) pair.number = static_cast<std::uint32_t>(before);
  }
  if (pair.number == kNone || pair.used == round) return Status::ok;
  pair.used = round;
  // SYNC read-two-exchanges-later (pairs with SparseReceiver::drain_reserved): what was put there two exchanges ago has been taken.
  *slot = layout_.reserved(pair.number, round);
  return Status::ok;
}

void ReservedSlots::forget(RequestQueries &queries) {
  for (auto &[rank, pair] : pairs_)
    if (pair.query.request) queries.forget(pair.query);
}

}  // namespace halocline::core
