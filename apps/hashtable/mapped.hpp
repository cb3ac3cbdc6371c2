// The parts of all ranks of a node, mapped in this process: words are changed by the processor's atomic instructions, without a library.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "walk.hpp"

#include <common/prefetch.hpp>
#include <halocline/halocline.hpp>

#include <vector>

namespace hashtable {

class MappedMemory {
 public:
  MappedMemory(const halocline::Segment &segment, int ranks) {
    for (int rank = 0; rank < ranks; ++rank) parts_.push_back(static_cast<Word *>(segment.info(rank).data));
  }
  Word carry_out(const Access &access) const {
    Word *const word = at(access.rank, access.word);
    switch (access.kind) {
      case Access::Kind::read: return __atomic_load_n(word, __ATOMIC_ACQUIRE);
      case Access::Kind::write: return __atomic_exchange_n(word, access.value, __ATOMIC_ACQ_REL);
      case Access::Kind::add: return __atomic_fetch_add(word, access.value, __ATOMIC_ACQ_REL);
      case Access::Kind::compare_swap: break;
    }
    Word expected = access.expected;
    __atomic_compare_exchange_n(word, &expected, access.value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return expected;
  }
  /// Requests the cache line of a word that will be changed.
  void fetch_to_change(int rank, std::int64_t word) const { common::fetch_to_write(at(rank, word)); }

 private:
  Word *at(int rank, std::int64_t word) const { return parts_[static_cast<std::size_t>(rank)] + word; }

  std::vector<Word *> parts_;
};

}  // namespace hashtable
