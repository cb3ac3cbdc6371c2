// A word of any rank of a window by which ranks synchronise: an atomic instruction on this node, an operation of the engine on another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/clock.hpp"
#include "faces/mpi/sync/word_concept.hpp"
#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {

/// As word_concept.hpp says. On another node load and swap wait for their reply, without a time limit: the other rank may compute for long.
/// add and set_bits wait for nothing; leave ends what has been begun here. Such operations are ordered with all others, also if less
/// is asked for. Accesses of the window have to be flushed before.
class WindowWord {
 public:
  /// The word at an offset from the begin of a rank's words.
  WindowWord(Window &window, int rank, std::int64_t offset) : window_(&window), rank_(rank), offset_(offset) {
    if (window.comm->is_near(rank)) here_ = window.memory.word_here(rank, offset);
  }

  bool is_far() const { return !here_; }
  Status look(std::uint64_t guess, std::uint64_t *seen) const {
    if (here_) return WordHere(*here_).look(guess, seen);
    *seen = guess;
    return Status::ok;
  }
  Status load(std::uint64_t *seen) const { return here_ ? WordHere(*here_).load(seen) : load_far(seen); }
  Status swap(std::uint64_t *seen, std::uint64_t wanted, std::memory_order order) const {
    return here_ ? WordHere(*here_).swap(seen, wanted, order) : swap_far(seen, wanted);
  }
  Status add(std::uint64_t number, std::memory_order order) const {
    return here_ ? WordHere(*here_).add(number, order) : change_far({HLC_OP_SUM, kType}, number);
  }
  Status set_bits(std::uint64_t bits, std::memory_order order) const {
    return here_ ? WordHere(*here_).set_bits(bits, order) : change_far({HLC_OP_BOR, kType}, bits);
  }
  /// A swap of a word of another node, and its result.
  struct Swap {
    const WindowWord &word;
    std::uint64_t *seen;
    std::uint64_t wanted;
    Status done = Status::again;
  };
  /// Two of them at once, of words of one window.
  static void swap_both(Swap (&swaps)[2]);
  /// Before this rank leaves a call: what it has begun has left this process.
  static Status leave(Window &window);

 private:
  static constexpr hlc_number kType = HLC_NUMBER_UINT64;
  Status load_far(std::uint64_t *seen) const;
  Status change_far(hlc_action action, std::uint64_t operand) const;
  Status swap_far(std::uint64_t *seen, std::uint64_t wanted) const;

  Window *window_;
  int rank_;
  std::int64_t offset_;
  std::atomic<std::uint64_t> *here_ = nullptr;
};

/// Bounds how often a rank asks for a word of another node: at once, then at growing distances up to 1 ms. On this node always.
class BackOff {
 public:
  explicit BackOff(const WindowWord &word) : distance_ns_(word.is_far() ? kFirst_ns : 0) {}

  /// True if it is time for another look.
  bool is_due() {
    if (distance_ns_ == 0) return true;
    const std::int64_t now = now_ns();
    if (now < next_ns_) return false;
    next_ns_ = now + distance_ns_;
    distance_ns_ = distance_ns_ * 2 < kLongest_ns ? distance_ns_ * 2 : kLongest_ns;
    return true;
  }

 private:
  static constexpr std::int64_t kFirst_ns = 2'000, kLongest_ns = 1'000'000;
  std::int64_t distance_ns_, next_ns_ = 0;
};

}  // namespace halocline::core::mpi
