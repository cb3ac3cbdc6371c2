// The checks before and after the steps of a round.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/checked_rounds.hpp"

#include <utility>

#include "engine/communicator/collective.hpp"

namespace halocline::core {

void CheckedRounds::make_check(std::string label) {
  own_check_ = std::make_unique<Check>(plan_, owner_, std::move(label));
  stamp(*own_check_);
}

/// Does a part of a checked round. If memory runs out in it, it is not known which descriptors and messages are lost: the round is over.
template <class Part>
Status CheckedRounds::in_round(Part part) {
  const Status status = alone(*plan_.topology, part);
  return status == Status::memory ? mark_broken(check_->no_memory()) : status;
}

Status CheckedRounds::start() {
  RoundDescriptor descriptor;
  HLC_TRY(alone(*plan_.topology, [&] {
    owner_.describe_round(descriptor);
    return Status::ok;
  }));
  return in_round([&] {
    announced_ = false;
    looked_ = Status::ok;
    HLC_TRY(mark_broken(check_->start(descriptor)));
    return Rounds::start();
  });
}

Status CheckedRounds::test() {
  return in_round([this] {
    const Status started = mark_broken(check_->all_started());
    return started == Status::ok ? Rounds::test() : started;
  });
}

/// Checks before it what must not have changed, and after it what was delivered.
Status CheckedRounds::finish(bool waits) {
  return in_round([this, waits] {
    HLC_TRY(announce_finish(waits));
    if (const Status met = mark_broken(meet(waits)); met != Status::ok) return met;
    look_before_delivery();
    const Status delivered = Rounds::finish(waits);
    return delivered == Status::ok ? look_after_delivery() : delivered;
  });
}

/// Does so once in a round.
Status CheckedRounds::announce_finish(bool waits) {
  if (std::exchange(announced_, true)) return Status::ok;
  if (Looks *const looks = owner_.looks()) looks->before_finish();
  return mark_broken(check_->announce_finish(waits));
}

/// Waits until all neighbours have started a matching round and have called its finish. No data have been touched by then.
Status CheckedRounds::meet(bool waits) {
  if (!waits) return check_->meet(false);
  return waiting_.until([this](bool *) { return check_->meet(true); },
                        [this](bool timed_out) { return waiting_.suspect_peers(timed_out); });
}

/// The neighbours may wait inside MPI from here on: the delivery takes place even if this check runs out of memory.
void CheckedRounds::look_before_delivery() {
  Looks *const looks = owner_.looks();
  if (!looks || delivers()) return;
  looked_ = alone(*plan_.topology, [looks] {
    looks->before_delivery();
    return Status::ok;
  });
}

Status CheckedRounds::look_after_delivery() {
  HLC_TRY(looked_);
  if (Looks *const looks = owner_.looks()) looks->after_finish();
  return check_->result();
}

}  // namespace halocline::core
