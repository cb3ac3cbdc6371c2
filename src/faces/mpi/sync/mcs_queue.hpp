// A queue of the ranks that want an exclusive lock of a target (J. M. Mellor-Crummey, M. L. Scott, 1991). Only the first of them looks at
// the lock itself; each other one waits for a word of its own node. It makes no lock: a rank may pass it by. tests/models/writer_queue.pml
// proves it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/atomics.hpp"
#include "base/status.hpp"

namespace halocline::core::mpi {

/// A rank's places in the queues of targets, one for each that it has locked. Names of places are counted from 1, over all ranks; 0: no place.
///
/// - next: the place behind this one, entered by its rank.
/// - first: 1 once this place is the first, set by the rank before it.
struct QueuePlaces {
  static constexpr int kPlaces = 8;
  struct Place {
    alignas(kLinePair) std::atomic<std::uint64_t> next;
    std::atomic<std::uint64_t> first;
  };
  Place places[kPlaces];
};

struct QueuePlace {
  int rank, number;

  static constexpr QueuePlace named(std::uint64_t name) {
    const auto before = static_cast<std::int64_t>(name) - 1;
    return {static_cast<int>(before / QueuePlaces::kPlaces), static_cast<int>(before % QueuePlaces::kPlaces)};
  }
  constexpr std::uint64_t name() const { return static_cast<std::uint64_t>(std::int64_t{rank} * QueuePlaces::kPlaces + number + 1); }
  /// Where its words are, in bytes from the begin of the rank's QueuePlaces.
  constexpr std::int64_t next_offset() const { return static_cast<std::int64_t>(sizeof(QueuePlaces::Place)) * number; }
  constexpr std::int64_t first_offset() const { return next_offset() + static_cast<std::int64_t>(offsetof(QueuePlaces::Place, first)); }
};

/// What others have entered in this rank's place.
inline bool is_first(const QueuePlaces::Place &place) { return place.first.load(std::memory_order_acquire) == 1; }
inline bool has_next(const QueuePlaces::Place &place) { return place.next.load(std::memory_order_acquire) != 0; }

/// How a rank enters a queue and leaves it. `Word` is one of word_concept.hpp: last names the last place of the queue. `Words` gives those of
/// places: next(place) and first(place).
template <class Word, class Words>
class Queueing {
 public:
  Queueing(Word last, Words words, QueuePlace mine) : last_(last), words_(words), mine_(mine) {}

  /// Enters at the end. The caller waits until is_first, unless there is no place before this one.
  Status enter(QueuePlaces::Place &place, std::uint64_t *before) const {
    place.next.store(0, std::memory_order_relaxed);
    place.first.store(0, std::memory_order_relaxed);
    HLC_TRY(last_.look(0, before));
    // SYNC place-before-next (pairs with itself): a rank that finds this place here enters words of it, which are reset by then.
    Status entered = Status::again;
    while (entered == Status::again) entered = last_.swap(before, mine_.name(), std::memory_order_acq_rel);
    if (failed(entered) || *before == 0) return entered;
    return words_.next(QueuePlace::named(*before)).add(mine_.name(), std::memory_order_release);
  }

  /// Leaves the queue if no place is behind this one. Else returns `again`: then the caller waits until has_next, and calls pass_on.
  Status leave(const QueuePlaces::Place &place) const {
    if (has_next(place)) return Status::again;
    std::uint64_t seen = mine_.name();
    Status left = Status::again;
    while (left == Status::again && seen == mine_.name()) left = last_.swap(&seen, 0, std::memory_order_acq_rel);
    return left;
  }
  /// The next place is the first from now on. Its rank is to be woken.
  Status pass_on(const QueuePlaces::Place &place, int *woken) const {
    const QueuePlace next = QueuePlace::named(place.next.load(std::memory_order_acquire));
    *woken = next.rank;
    return words_.first(next).add(1, std::memory_order_release);
  }

 private:
  Word last_;
  Words words_;
  QueuePlace mine_;
};

}  // namespace halocline::core::mpi
