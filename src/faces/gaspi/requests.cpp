// Keeping requests by thread and arguments.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/requests.hpp"

namespace halocline::gaspi {

/// A program that never asks again does not fill the memory: when there are many, those of its thread are forgotten.
Question &Requests::find(const Asked &asked) {
  const std::lock_guard lock(mutex_);
  const bool full = questions_.size() >= kMost && questions_.count(asked) == 0;
  for (auto next = questions_.begin(); full && next != questions_.end();) {
    const auto entry = next++;
    if (entry->first.thread != asked.thread) continue;
    context_.network().traffic()->forget(entry->second);
    questions_.erase(entry);
  }
  return questions_[asked];
}

Status Connections::look(PeerPart &control, std::int64_t offset, const char *call) {
  if (control.is_near()) return Status::ok;
  const std::lock_guard lock(mutex_);
  Attempt &attempt = attempts_[control.rank()];
  if (!attempt.begun) {
    if (const Status room = control.find_room(call); room != Status::ok) return room;
    HLC_TRY(control.get(call, offset, &attempt.word, sizeof attempt.word));
    attempt.drain = context_.network().traffic()->begin_drain(control.rank(), false);
    attempt.begun = true;
  }
  const Status status = context_.network().traffic()->look(attempt.drain, call);
  if (status == Status::ok) attempts_.erase(control.rank());
  return status;
}

void Requests::forget(const Asked &asked) {
  const std::lock_guard lock(mutex_);
  questions_.erase(asked);
}

}  // namespace halocline::gaspi
