// A word of this node by which ranks of a window synchronise. What the protocols (group_lock.hpp, pscw_words.hpp) need of one:
//
//   - look(guess, &seen): reads it; a guess may do where reading takes as long as a compare and swap;
//   - load(&seen): reads it;
//   - swap(&seen, wanted, order): writes it if it is what was seen; else reads it and returns `again`;
//   - add(number, order), set_bits(bits, order): return nothing of the word, and may end before they are done;
//   - is_far(): each step of the others takes a round trip to another node.
//
// remote_word.hpp has words of any node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.hpp"

namespace halocline::core::mpi {

class WordHere {
 public:
  explicit WordHere(std::atomic<std::uint64_t> &word) : word_(&word) {}

  static constexpr bool is_far() { return false; }
  Status look(std::uint64_t, std::uint64_t *seen) const { return load(seen); }
  Status load(std::uint64_t *seen) const {
    *seen = word_->load(std::memory_order_relaxed);
    return Status::ok;
  }
  Status swap(std::uint64_t *seen, std::uint64_t wanted, std::memory_order order) const {
    return word_->compare_exchange_weak(*seen, wanted, order, std::memory_order_relaxed) ? Status::ok : Status::again;
  }
  Status add(std::uint64_t number, std::memory_order order) const {
    word_->fetch_add(number, order);
    return Status::ok;
  }
  Status set_bits(std::uint64_t bits, std::memory_order order) const {
    word_->fetch_or(bits, order);
    return Status::ok;
  }

 private:
  std::atomic<std::uint64_t> *word_;
};

}  // namespace halocline::core::mpi
