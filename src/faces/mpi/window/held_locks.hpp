// How a rank holds targets: those of single locks, and of started epochs. Memory is for as many as are held at the same time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
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

}  // namespace halocline::core::mpi
