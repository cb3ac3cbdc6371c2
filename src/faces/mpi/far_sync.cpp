// How the word of a lock changes is in two_sided_lock.hpp. Here it is reached by the engine, on the node and beyond it.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/far_sync.hpp"

#include <algorithm>
#include <cstddef>

#include "base/clock.hpp"
#include "engine/rma/operations.hpp"
#include "faces/mpi/two_sided_lock.hpp"

namespace halocline::core::mpi::far {
namespace {

constexpr const char *kCall = "synchronisation of a window of MPI";
constexpr hlc_action kAdd{HLC_OP_SUM, HLC_NUMBER_UINT64}, kRead{HLC_OP_READ, HLC_NUMBER_UINT64};

/// How long a rank is kept out by nothing but the other side's waiting. A holder may wait for this very rank.
constexpr std::uint64_t kPatience_ms = 20;
constexpr std::int64_t kShortestPause_ns = 2'000, kLongestPause_ns = 200'000;

/// A number of 64 bits among a rank's control words.
class Word {
 public:
  Word(const Window &window, int rank, std::size_t offset)
      : memory_(window.memory.control(rank)), offset_(static_cast<std::int64_t>(offset)) {}

  /// As LockTaking asks. A swap that fails reads as well, so that a guess does.
  Status look(std::uint64_t guess, std::uint64_t *seen) const {
    *seen = guess;
    return Status::ok;
  }
  Status load(std::uint64_t *seen) const { return fetch_op(kCall, at(), kRead, {nullptr, seen}); }
  Status swap(std::uint64_t *seen, std::uint64_t wanted, std::memory_order) const {
    const std::uint64_t expected = *seen;
    HLC_TRY(compare_swap(expected, wanted, seen));
    return *seen == expected ? Status::ok : Status::again;
  }
  /// Without a reply.
  Status post(std::uint64_t change) const { return core::accumulate(kCall, at(), kAdd, {&change, 1}); }
  Status compare_swap(std::uint64_t expected, std::uint64_t value, std::uint64_t *before) const {
    return core::compare_swap(kCall, at(), HLC_NUMBER_UINT64, {&expected, &value, before});
  }

 private:
  Target at() const { return {memory_, offset_}; }
  RemoteMemory memory_;
  std::int64_t offset_;
};

// Of a target's lock: shared, exclusive. Of the window's: those that lock all, exclusive locks of any target.
constexpr LockSide kShared{0, false}, kExclusive{1, true};
constexpr LockSide kAll{0, false}, kAnyExclusive{1, false};

using Taking = LockTaking<Word>;

/// Times to wait between two attempts. They differ between ranks, so that these do not meet again.
class BackOff {
 public:
  explicit BackOff(int rank) : pause_ns_(kShortestPause_ns + rank % 16 * (kShortestPause_ns / 16)) {}
  /// True once per pause.
  bool is_over() {
    const std::int64_t now = now_ns();
    if (now < next_ns_) return false;
    next_ns_ = now + pause_ns_;
    pause_ns_ = std::min(pause_ns_ * 2, kLongestPause_ns);
    return true;
  }

 private:
  std::int64_t pause_ns_, next_ns_ = 0;
};

/// Repeats an attempt until it returns anything but `again`, or the deadline is over.
template <class Attempt>
Status repeat(Window &window, Attempt attempt, Deadline deadline = Deadline::kForever_ms) {
  BackOff back_off(window.rank());
  Wait wait(window.node->context, WakeUp::by_polling);
  const auto look = [&] { return back_off.is_over() ? attempt() : Status::again; };
  return pause_until(wait, look, [&] { return window.node->find_dead(); }, deadline);
}

/// In its turn, or once it has waited for that long enough.
Status wait_for(Window &window, const Taking &taking) {
  bool counted = false;
  HLC_TRY(taking.announce(&counted));
  Status taken = repeat(window, [&] { return taking.try_again(Turn::in_turn, counted); }, kPatience_ms);
  if (taken == Status::again) taken = repeat(window, [&] { return taking.try_again(Turn::any, counted); });
  return taken;
}

Word lock_of(const Window &window, int target) { return {window, target, offsetof(TargetWords, lock) + offsetof(TwoSidedLock, word)}; }
Word lock_of_all(const Window &window) { return {window, 0, offsetof(TargetWords, all) + offsetof(TwoSidedLock, word)}; }
Word lock_of_accumulates(const Window &window, int target) { return {window, target, offsetof(TargetWords, accumulates)}; }

Status take(Window &window, const Word &word, const LockSide &side) {
  const Taking taking(word, side);
  const Status taken = taking.try_first();
  return taken == Status::again ? wait_for(window, taking) : taken;
}

/// Ranks that wait look now and then: nobody wakes them.
Status give_back(const Word &word, const LockSide &side) {
  bool wakes = false;
  return Taking(word, side).give_back(&wakes);
}

}  // namespace

Status lock_shared(Window &window, int target) { return take(window, lock_of(window, target), kShared); }

Status lock_exclusive(Window &window, int target) {
  HLC_TRY(take(window, lock_of_all(window), kAnyExclusive));
  return take(window, lock_of(window, target), kExclusive);
}

Status lock_all(Window &window) { return take(window, lock_of_all(window), kAll); }

Status unlock_shared(Window &window, int target) { return give_back(lock_of(window, target), kShared); }

Status unlock_exclusive(Window &window, int target) {
  HLC_TRY(give_back(lock_of(window, target), kExclusive));
  return give_back(lock_of_all(window), kAnyExclusive);
}

Status unlock_all(Window &window) { return give_back(lock_of_all(window), kAll); }

Status lock_accumulates(Window &window, int target) {
  const Word word = lock_of_accumulates(window, target);
  const auto take = [&] {
    std::uint64_t before = 1;
    HLC_TRY(word.compare_swap(0, 1, &before));
    return before == 0 ? Status::ok : Status::again;
  };
  const Status taken = take();
  return taken == Status::again ? repeat(window, take) : taken;
}

Status unlock_accumulates(Window &window, int target) {
  HLC_TRY(lock_of_accumulates(window, target).post(~std::uint64_t{0}));
  return leave(window);
}

Status count_event(Window &window, int rank, std::int64_t offset) {
  const std::uint32_t one = 1;
  const RemoteMemory memory = window.memory.control(rank);
  // SYNC access-before-event (pairs with has_event): the accesses have been confirmed.
  return core::accumulate(kCall, {memory, offset}, {HLC_OP_SUM, HLC_NUMBER_UINT32}, {&one, 1});
}

/// The program may compute for long after this.
Status leave(Window &window) { return window.memory.segment()->flush_outgoing(kCall); }

}  // namespace halocline::core::mpi::far
