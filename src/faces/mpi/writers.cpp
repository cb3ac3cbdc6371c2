// Entering and leaving the queues of exclusive locks.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/writers.hpp"

#include <cstddef>
#include <cstring>

#include "base/environment.hpp"
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

Writers::Writers() : queue_(std::strcmp(environment("MPI_LOCK"), "mcs") == 0) {}

/// Several threads may lock, each its own targets.
int Writers::claim(int target) {
  for (int place = 0; place < QueuePlaces::kPlaces; ++place) {
    int free = 0;
    if (targets_[static_cast<std::size_t>(place)].compare_exchange_strong(free, target + 1)) return place;
  }
  return -1;
}

int Writers::find(int target) const {
  for (int place = 0; place < QueuePlaces::kPlaces; ++place)
    if (targets_[static_cast<std::size_t>(place)].load() == target + 1) return place;
  return -1;
}

Status Writers::enter(Window &window, int target) {
  const int place = queue_ ? claim(target) : -1;
  if (place < 0) return Status::ok;
  QueuePlaces::Place &mine = place_here(window, place);
  std::uint64_t before = 0;
  HLC_TRY(queueing(window, target, place).enter(mine, &before));
  if (before == 0) return Status::ok;
  HLC_TRY(WindowWord::leave(window));
  window.node->ring(QueuePlace::named(before).rank);
  return window.await([&] { return is_first(mine); });
}

Status Writers::leave(Window &window, int target) {
  const int place = queue_ ? find(target) : -1;
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
  targets_[static_cast<std::size_t>(place)].store(0);
  return left;
}

}  // namespace halocline::core::mpi
