// The barrier goes by the segment's words. A lock is one number of 64 bits, so that one compare and swap reads and takes it.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/far_sync.hpp"

#include <algorithm>
#include <cstddef>

#include "base/clock.hpp"
#include "engine/rma/operations.hpp"
#include "engine/sync/dissemination.hpp"

namespace halocline::core::mpi::far {
namespace {

constexpr const char *kCall = "synchronisation of a window of MPI";
constexpr hlc_action kAdd{HLC_OP_SUM, HLC_NUMBER_UINT64}, kRead{HLC_OP_READ, HLC_NUMBER_UINT64};

/// How long a rank stays behind the other side. A holder may wait for this very rank.
constexpr std::int64_t kPatience_ns = 20'000'000;
constexpr std::int64_t kShortestPause_ns = 2'000, kLongestPause_ns = 200'000;

/// A number of 64 bits among a rank's control words.
class Word {
 public:
  Word(const Window &window, int rank, std::size_t offset)
      : memory_(window.memory.control(rank)), offset_(static_cast<std::int64_t>(offset)) {}

  Status read(std::uint64_t *value) const { return fetch_op(kCall, at(), kRead, {nullptr, value}); }
  Status add(std::uint64_t change, std::uint64_t *before) const { return fetch_op(kCall, at(), kAdd, {&change, before}); }
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

/// One of two sides, which keep each other out. Of the lock's number the lower 32 bits are side 0's, the upper ones side 1's: 16 bits count
/// ranks that hold it, the next 16 those that wait.
struct Side {
  std::uint64_t one, against, others;  // one holder; the holders that keep it out; ranks of the other side that wait
  std::uint64_t one_waits() const { return one << 16; }
};

constexpr std::uint64_t kHolders0 = 0xffff, kWaiting0 = kHolders0 << 16, kHolders1 = kHolders0 << 32, kWaiting1 = kHolders1 << 16;
constexpr std::uint64_t kOne0 = 1, kOne1 = kOne0 << 32;
// Of a target's lock, and of the window's.
constexpr Side kShared{kOne0, kHolders1, kWaiting1}, kExclusive{kOne1, kHolders0 | kHolders1, kWaiting0};
constexpr Side kAll{kOne0, kHolders1, kWaiting1}, kAnyExclusive{kOne1, kHolders0, kWaiting0};

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

/// Repeats an attempt until it returns anything but `again`.
template <class Attempt>
Status repeat(Window &window, Attempt attempt) {
  BackOff back_off(window.rank());
  Wait wait(window.node->context, WakeUp::by_polling);
  return pause_until(wait, [&] { return back_off.is_over() ? attempt() : Status::again; }, [&] { return window.node->find_dead(); });
}

/// One taking of a lock.
class Taking {
 public:
  Taking(Window &window, const Word &word, const Side &side) : window_(window), word_(word), side_(side) {}

  /// The first attempt guesses that the lock is free.
  Status take_or_wait() {
    if (const Status taken = swap(0); taken != Status::again) return taken;
    while (!(seen_ & (side_.against | side_.others)))
      if (const Status taken = swap(0); taken != Status::again) return taken;
    std::uint64_t before = 0;
    HLC_TRY(word_.add(side_.one_waits(), &before));
    seen_ = before + side_.one_waits();
    is_behind_ = (seen_ & side_.others) != 0;
    since_ns_ = now_ns();
    return repeat(window_, [this] { return take(); });
  }

 private:
  /// A rank that comes while the other side waits stays behind until that side has had the lock.
  bool stays_behind() const { return (seen_ & side_.others) && !(seen_ & side_.against) && now_ns() - since_ns_ < kPatience_ns; }
  /// Of a rank that waits.
  Status take() {
    if (is_behind_) {
      HLC_TRY(word_.read(&seen_));
      is_behind_ = stays_behind();
    }
    return is_behind_ ? Status::again : swap(side_.one_waits());
  }
  /// One attempt, for which the lock has to be as it was seen last, without holders that keep this side out.
  Status swap(std::uint64_t no_longer_waits) {
    const std::uint64_t expected = seen_ & ~side_.against;
    // SYNC window-unlocked-before-locked (pairs with itself): the engine's atomics acquire and release.
    HLC_TRY(word_.compare_swap(expected, expected + side_.one - no_longer_waits, &seen_));
    return seen_ == expected ? Status::ok : Status::again;
  }

  Window &window_;
  const Word &word_;
  const Side &side_;
  std::uint64_t seen_ = 0;
  std::int64_t since_ns_ = 0;
  bool is_behind_ = false;
};

Word lock_of(const Window &window, int target) { return {window, target, offsetof(TargetWords, lock) + offsetof(TwoSidedLock, word)}; }
Word lock_of_all(const Window &window) { return {window, 0, offsetof(TargetWords, all) + offsetof(TwoSidedLock, word)}; }
Word lock_of_accumulates(const Window &window, int target) { return {window, target, offsetof(TargetWords, accumulates)}; }

Status take(Window &window, const Word &word, const Side &side) { return Taking(window, word, side).take_or_wait(); }

/// All accesses under the lock are complete, so the message need not wait for anything.
Status give_back(const Word &word, const Side &side) { return word.post(0 - side.one); }

}  // namespace

Status barrier(Window &window) {
  Segment &segment = *window.memory.segment();
  const Dissemination order(window.rank(), window.size());
  const std::uint32_t number = segment.barriers.next();
  // SYNC barrier-round (pairs with the wait of the rank above)
  const auto notify = [&](int round) {
    return segment.with(kCall, order.above(round), [&](const RemoteMemory &memory) { return raise_word(kCall, memory, {round, number}); });
  };
  // SYNC barrier-round (pairs with the raise of the rank below)
  const auto await = [&](int round) { return window.await([&] { return segment.mine().words().has_risen(round, number); }); };
  HLC_TRY(RoundsPassed().pass(order.rounds(), notify, await));
  return leave(window);
}

Status lock_shared(Window &window, int target) { return take(window, lock_of(window, target), kShared); }

Status lock_exclusive(Window &window, int target) {
  HLC_TRY(take(window, lock_of_all(window), kAnyExclusive));
  return take(window, lock_of(window, target), kExclusive);
}

Status lock_all(Window &window) { return take(window, lock_of_all(window), kAll); }

Status unlock_shared(Window &window, int target) {
  HLC_TRY(give_back(lock_of(window, target), kShared));
  return leave(window);
}

Status unlock_exclusive(Window &window, int target) {
  HLC_TRY(give_back(lock_of(window, target), kExclusive));
  HLC_TRY(give_back(lock_of_all(window), kAnyExclusive));
  return leave(window);
}

Status unlock_all(Window &window) {
  HLC_TRY(give_back(lock_of_all(window), kAll));
  return leave(window);
}

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
