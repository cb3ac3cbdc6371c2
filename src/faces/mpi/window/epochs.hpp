// The epochs that a rank has open on a window: which targets it may access. For errors, and for what the closing calls must undo. How it holds
// targets, by locks of single ones and by started epochs: memory is for as many as are held at the same time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace halocline::core::mpi {

/// How this rank may access a target.
enum class Hold : std::uint8_t { none, started, shared, exclusive, unchecked };

/// Several threads may use it, each for its own targets. A target is in one of few slots of the first level, or of the next one, which has
/// twice as many.
class Holds {
 public:
  Holds() : first_(kFirst) {}
  Holds(const Holds &) = delete;
  Holds &operator=(const Holds &) = delete;

  Hold of(int target) const {
    const Slot *const slot = find(target);
    return slot ? static_cast<Hold>(slot->load(std::memory_order_relaxed) & kHoldMask) : Hold::none;
  }
  /// Allocates if the levels have no room for the target. `by_several`: other threads may set other targets meanwhile.
  void set(int target, Hold hold, bool by_several) {
    if (Slot *const slot = find(target))
      slot->store(hold == Hold::none ? 0 : named(target, hold), std::memory_order_relaxed);
    else if (hold != Hold::none)
      add(target, hold, by_several);
  }
  /// The same where no target is held before, and none after it; by one thread.
  [[gnu::always_inline]] void set_only(int target, Hold hold) {
    first_.slot(target, 0).store(hold == Hold::none ? 0 : named(target, hold), std::memory_order_relaxed);
  }
  /// How a target is held that set_only has set; none if it has set another one.
  [[gnu::always_inline]] Hold only(int target) const {
    const std::uint64_t seen = first_.slot(target, 0).load(std::memory_order_relaxed);
    return (seen & ~kHoldMask) == name(target) ? static_cast<Hold>(seen & kHoldMask) : Hold::none;
  }
  /// The same for a target that is not held, which needs no search.
  void add(int target, Hold hold, bool by_several) {
    if (!fill(first_.slot(target, 0), named(target, hold), by_several)) add_further(target, hold, by_several);
  }

 private:
  static constexpr std::size_t kFirst = 16, kProbes = 4;
  static constexpr int kHoldBits = 3;
  static constexpr std::uint64_t kHoldMask = (std::uint64_t{1} << kHoldBits) - 1;

  [[gnu::noinline]] void add_further(int target, Hold hold, bool by_several) {
    for (Level *level = &first_;; level = next_of(*level))
      for (std::size_t probe = 0; probe < kProbes; ++probe)
        if (fill(level->slot(target, probe), named(target, hold), by_several)) return;
  }

  /// 0, or a target's name and hold.
  using Slot = std::atomic<std::uint64_t>;
  struct Level {
    explicit Level(std::size_t count) : slots(count), mask(count - 1) {}
    ~Level() { delete next.load(std::memory_order_relaxed); }
    Level(const Level &) = delete;
    Level &operator=(const Level &) = delete;
    Slot &slot(int target, std::size_t probe) { return slots[(spread(target) + probe) & mask]; }

    std::vector<Slot> slots;
    std::size_t mask;
    std::atomic<Level *> next{nullptr};
  };

  /// Targets at a stride of a power of two have different slots (Knuth, volume 3, section 6.4: multiplicative hashing).
  static std::size_t spread(int target) { return static_cast<std::uint32_t>(target) * 0x9E3779B97F4A7C15u >> 32; }
  static std::uint64_t name(int target) { return (static_cast<std::uint64_t>(target) + 1) << kHoldBits; }
  static std::uint64_t named(int target, Hold hold) { return name(target) | static_cast<std::uint64_t>(hold); }

  static bool is_of(const Slot &slot, int target) { return (slot.load(std::memory_order_relaxed) & ~kHoldMask) == name(target); }
  /// Mostly the first slot that it may be in.
  Slot *find(int target) const {
    Slot &likely = first_.slot(target, 0);
    return is_of(likely, target) ? &likely : find_further(target);
  }
  [[gnu::noinline]] Slot *find_further(int target) const {
    for (Level *level = &first_; level; level = level->next.load(std::memory_order_acquire))
      for (std::size_t probe = 0; probe < kProbes; ++probe) {
        Slot &slot = level->slot(target, probe);
        if (is_of(slot, target)) return &slot;
      }
    return nullptr;
  }
  /// False if the slot is taken. An atomic exchange takes as long as half a lock.
  static bool fill(Slot &slot, std::uint64_t wanted, bool by_several) {
    std::uint64_t free = 0;
    if (by_several) return slot.compare_exchange_strong(free, wanted, std::memory_order_relaxed);
    if (slot.load(std::memory_order_relaxed) != 0) return false;
    slot.store(wanted, std::memory_order_relaxed);
    return true;
  }
  /// Another thread may add the level meanwhile.
  static Level *next_of(Level &level) {
    if (Level *next = level.next.load(std::memory_order_acquire)) return next;
    auto made = std::make_unique<Level>(2 * level.slots.size());
    Level *seen = nullptr;
    return level.next.compare_exchange_strong(seen, made.get(), std::memory_order_acq_rel) ? made.release() : seen;
  }

  mutable Level first_;
};

/// Between two fences: no epoch, one without accesses of this rank so far, or one with some. Only the last needs a fence at its end.
enum class Fence : std::uint8_t { closed, open, used };

/// Operations of several threads may read it; the calls that open or close an epoch of one target are one thread's.
class Epochs {
 public:
  /// `several_threads`: MPI may be called by several at the same time.
  void open(bool several_threads) { several_threads_ = several_threads; }

  bool is_open(int target) const {
    return fence.load(std::memory_order_relaxed) != Fence::closed || locks_all != Hold::none || hold(target) != Hold::none;
  }
  /// The same before an access, which an epoch of fences notes.
  bool may_access(int target) const {
    const Fence now = fence.load(std::memory_order_relaxed);
    if (now == Fence::open) fence.store(Fence::used, std::memory_order_relaxed);
    return now != Fence::closed || locks_all != Hold::none || hold(target) != Hold::none;
  }
  bool is_locked(int target) const { return locks_all != Hold::none || locks_single(target); }
  bool locks_any() const { return locks_all != Hold::none || locks_.load(std::memory_order_relaxed) > 0; }
  Hold hold(int target) const { return holds_.of(target); }
  void set(int target, Hold hold) { holds_.set(target, hold, several_threads_); }
  /// Whether no other rank, and no other thread of this one, accesses the target while this call does.
  bool excludes_others(int target) const {
    return !several_threads_ && locks_.load(std::memory_order_relaxed) > 0 && hold(target) == Hold::exclusive;
  }

  /// After a target is locked that was not; `hold` says how.
  void add_lock(int target, Hold hold) {
    holds_.add(target, hold, several_threads_);
    count_locks(1);
  }
  void remove_lock(int target) {
    holds_.set(target, Hold::none, several_threads_);
    count_locks(-1);
  }

  /// Whether this rank, which has one thread, has no epoch and no lock: then the next lock needs few instructions.
  [[gnu::always_inline]] bool is_idle() const {
    return fence.load(std::memory_order_relaxed) == Fence::closed && locks_all == Hold::none && !is_started &&
           locks_.load(std::memory_order_relaxed) == 0;
  }
  /// The first lock after is_idle.
  [[gnu::always_inline]] void add_only_lock(int target, Hold hold) {
    holds_.set_only(target, hold);
    locks_.store(1, std::memory_order_relaxed);
  }
  /// How the target is held, if it is the only one that is locked; else none.
  [[gnu::always_inline]] Hold only_lock(int target) const {
    return locks_.load(std::memory_order_relaxed) == 1 ? holds_.only(target) : Hold::none;
  }
  [[gnu::always_inline]] void remove_only_lock(int target) {
    holds_.set_only(target, Hold::none);
    locks_.store(0, std::memory_order_relaxed);
  }

  mutable std::atomic<Fence> fence = Fence::closed;
  Hold locks_all = Hold::none;  // none, shared or unchecked
  bool is_started = false, is_posted = false;
  std::vector<int> started, posted;  // the groups of MPI_Win_start and MPI_Win_post
  std::uint64_t awaited = 0;  // accesses of others that exposures of this rank have ended after

 private:
  /// Where no target is locked, that needs no look at the slots.
  bool locks_single(int target) const { return locks_.load(std::memory_order_relaxed) > 0 && hold(target) >= Hold::shared; }
  /// An atomic addition takes as long as the lock itself.
  void count_locks(int change) {
    if (several_threads_)
      locks_.fetch_add(change, std::memory_order_relaxed);
    else
      locks_.store(locks_.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  }

  std::atomic<int> locks_{0};  // of single targets
  Holds holds_;
  bool several_threads_ = true;
};

}  // namespace halocline::core::mpi
