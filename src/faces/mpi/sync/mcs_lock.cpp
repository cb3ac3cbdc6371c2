// Entering and leaving the queues of exclusive locks.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/sync/mcs_lock.hpp"

#include <cstddef>

#include "base/first_failure.hpp"
#include "faces/mpi/sync/remote_word.hpp"

namespace halocline::core::mpi {
namespace {

/// The words of places, of any rank.
struct PlaceWords {
  Window &window;

  WindowWord at(QueuePlace place, std::int64_t offset) const {
    const bool has_bits = has_post_bits(window.size(), window.comm->spans_nodes());
    return {window, place.rank, queue_offset(window.size(), has_bits) + offset};
  }
  WindowWord next(QueuePlace place) const { return at(place, place.next_offset()); }
  WindowWord first(QueuePlace place) const { return at(place, place.first_offset()); }
};

Queueing<WindowWord, PlaceWords> queueing(Window &window, int target, int place) {
  return {{window, target, offsetof(TargetWords, last_writer)}, PlaceWords{window}, {window.rank(), place}};
}

QueuePlaces::Place &place_here(Window &window, int place) {
  const bool has_bits = has_post_bits(window.size(), window.comm->spans_nodes());
  return reinterpret_cast<QueuePlaces *>(window.memory.word_here(window.rank(), queue_offset(window.size(), has_bits)))->places[place];
}

/// Enters a place, and waits until it is the first.
Status wait_in_queue(Window &window, int target, int place) {
  QueuePlaces::Place &mine = place_here(window, place);
  std::uint64_t before = 0;
  HLC_TRY(queueing(window, target, place).enter(mine, &before));
  if (before == 0) return Status::ok;
  HLC_TRY(WindowWord::leave(window));
  window.comm->ring(QueuePlace::named(before).rank);
  return window.await([&] { return is_first(mine); });
}

/// Lets the next place be the first.
Status leave_place(Window &window, int target, int place) {
  QueuePlaces::Place &mine = place_here(window, place);
  const auto queue = queueing(window, target, place);
  Status left = queue.leave(mine);
  if (left == Status::again) {
    int woken = 0;
    HLC_TRY(window.await([&] { return has_next(mine); }));
    FirstFailure failure(queue.pass_on(mine, &woken));
    const bool has_passed = failure.none();
    failure.note(WindowWord::leave(window));
    if (has_passed) window.comm->ring(woken);
    left = failure.status();
  }
  return left;
}

}  // namespace

/// If that fails, the next place is the first together with those before this one: the queue is not a lock. The place is not used again, as the
/// one before it may enter words there at any time.
Status enter_queue(Window &window, int target) {
  const int place = window.writer_places.claim(target);
  if (place < 0) return Status::ok;
  FirstFailure failure(wait_in_queue(window, target, place));
  if (failure.none()) return Status::ok;
  failure.note(leave_place(window, target, place));
  window.writer_places.retire(place);
  return failure.status();
}

Status leave_queue(Window &window, int target) {
  const int place = window.writer_places.find(target);
  if (place < 0) return Status::ok;
  const Status left = leave_place(window, target, place);
  window.writer_places.free(place);
  return left;
}

}  // namespace halocline::core::mpi
