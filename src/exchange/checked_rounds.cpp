// The checks before and after the steps of a round.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/checked_rounds.hpp"

#include <utility>

#include "engine/communicator/collective.hpp"

namespace halocline::core {

CheckedRounds::CheckedRounds(Plan &plan, Rounds &rounds, Waiting &waiting, std::string label)
    : topology_(*plan.topology), rounds_(rounds), waiting_(waiting), owner_(rounds.owner()), check_(plan, owner_, std::move(label)) {
  rounds_.stamp(check_);
  waiting_.set_check(check_);
}

/// Does a part of a checked round. If memory runs out in it, it is not known which descriptors and messages are lost: the round is over.
template <class Part>
Status CheckedRounds::in_round(Part part) {
  const Status status = alone(topology_, part);
  return status == Status::memory ? rounds_.mark_broken(check_.no_memory()) : status;
}

Status CheckedRounds::start(const RoundDescriptor &descriptor) {
  return in_round([&] {
    announced_ = false;
    looked_ = Status::ok;
    HLC_TRY(rounds_.mark_broken(check_.start(descriptor)));
    return rounds_.start();
  });
}

Status CheckedRounds::test() {
  return in_round([this] {
    const Status started = rounds_.mark_broken(check_.all_started());
    return started == Status::ok ? rounds_.test() : started;
  });
}

/// Checks before it what must not have changed, and after it what was delivered.
Status CheckedRounds::finish(bool waits) {
  return in_round([this, waits] {
    HLC_TRY(announce_finish(waits));
    if (const Status met = rounds_.mark_broken(meet(waits)); met != Status::ok) return met;
    look_before_delivery();
    const Status delivered = rounds_.finish(waits);
    return delivered == Status::ok ? look_after_delivery() : delivered;
  });
}

/// Does so once in a round.
Status CheckedRounds::announce_finish(bool waits) {
  if (std::exchange(announced_, true)) return Status::ok;
  if (Looks *const looks = owner_.looks()) looks->before_finish();
  return rounds_.mark_broken(check_.announce_finish(waits));
}

/// Waits until all neighbours have started a matching round and have called its finish. No data have been touched by then.
Status CheckedRounds::meet(bool waits) {
  if (!waits) return check_.meet(false);
  return waiting_.until([this](bool *) { return check_.meet(true); }, [this](bool timed_out) { return waiting_.suspect_peers(timed_out); });
}

/// The neighbours may wait inside MPI from here on: the delivery takes place even if this check runs out of memory.
void CheckedRounds::look_before_delivery() {
  Looks *const looks = owner_.looks();
  if (!looks || rounds_.delivers()) return;
  looked_ = alone(topology_, [looks] {
    looks->before_delivery();
    return Status::ok;
  });
}

Status CheckedRounds::look_after_delivery() {
  HLC_TRY(looked_);
  if (Looks *const looks = owner_.looks()) looks->after_finish();
  return check_.result();
}

}  // namespace halocline::core
