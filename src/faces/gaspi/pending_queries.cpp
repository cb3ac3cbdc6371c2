// Keeping queries by thread and arguments.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/pending_queries.hpp"

#include "engine/network/request_engine.hpp"

namespace halocline::core::gaspi {

/// When there are too many queries, those of the calling thread are forgotten: a program that never repeats a call must not fill the
/// memory.
Query &PendingQueries::find(const Asked &asked) {
  const std::lock_guard lock(mutex_);
  const bool full = queries_.size() >= kMax && queries_.count(asked) == 0;
  for (auto next = queries_.begin(); full && next != queries_.end();) {
    const auto entry = next++;
    if (entry->first.thread != asked.thread) continue;
    context_.network().requests()->queries().forget(entry->second);
    queries_.erase(entry);
  }
  return queries_[asked];
}

Status Connections::look(RemoteMemory &control, std::int64_t offset, const char *call) {
  if (control.is_near()) return Status::ok;
  const std::lock_guard lock(mutex_);
  Attempt &attempt = attempts_[control.rank()];
  if (!attempt.begun) {
    if (const Status room = control.find_room(call); room != Status::ok) return room;
    HLC_TRY(get(call, Target{control, offset}, {&attempt.word, sizeof attempt.word}));
    attempt.flush = context_.network().requests()->begin_flush(control.rank(), false);
    attempt.begun = true;
  }
  const Status status = context_.network().requests()->look(attempt.flush, call);
  if (status == Status::ok) attempts_.erase(control.rank());
  return status;
}

void PendingQueries::forget(const Asked &asked) {
  const std::lock_guard lock(mutex_);
  queries_.erase(asked);
}

}  // namespace halocline::core::gaspi
