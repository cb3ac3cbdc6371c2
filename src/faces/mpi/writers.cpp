// Entering and leaving the queues of exclusive locks.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/writers.hpp"

#include <cstddef>

#include "faces/mpi/window_word.hpp"

namespace halocline::core::mpi {
namespace {

/// The words of places, of any rank.
struct PlaceWords {
  Window &window;

  WindowWord at(QueuePlace place, std::int64_t offset) const {
    const bool has_bits = has_post_bits(window.size(), window.node->spans_nodes());
    return {window, place.rank, queue_offset(window.size(), has_bits) + offset};
  }
  WindowWord next(QueuePlace place) const { return at(place, place.next_offset()); }
  WindowWord first(QueuePlace place) const { return at(place, place.first_offset()); }
};

Queueing<WindowWord, PlaceWords> queueing(Window &window, int target, int place) {
  return {{window, target, offsetof(TargetWords, last_writer)}, PlaceWords{window}, {window.rank(), place}};
}

QueuePlaces::Place &place_here(Window &window, int place) {
  const bool has_bits = has_post_bits(window.size(), window.node->spans_nodes());
  return reinterpret_cast<QueuePlaces *>(window.memory.word_here(window.rank(), queue_offset(window.size(), has_bits)))->places[place];
}

}  // namespace

Status enter_queue(Window &window, int target) {
  const int place = window.writer_places.claim(target);
  if (place < 0) return Status::ok;
  QueuePlaces::Place &mine = place_here(window, place);
  std::uint64_t before = 0;
  HLC_TRY(queueing(window, target, place).enter(mine, &before));
  if (before == 0) return Status::ok;
  HLC_TRY(WindowWord::leave(window));
  window.node->ring(QueuePlace::named(before).rank);
  return window.await([&] { return is_first(mine); });
}

Status leave_queue(Window &window, int target) {
  const int place = window.writer_places.find(target);
  if (place < 0) return Status::ok;
  QueuePlaces::Place &mine = place_here(window, place);
  const auto queue = queueing(window, target, place);
  Status left = queue.leave(mine);
  if (left == Status::again) {
    int woken = 0;
    HLC_TRY(window.await([&] { return has_next(mine); }));
    HLC_TRY(queue.pass_on(mine, &woken));
    left = WindowWord::leave(window);
    window.node->ring(woken);
  }
  window.writer_places.free(place);
  return left;
}

}  // namespace halocline::core::mpi
