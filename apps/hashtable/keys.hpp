// The keys that ranks insert. Every rank can compute those of every other, which is how results are checked.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "options.hpp"
#include "walk.hpp"

#include <vector>

namespace hashtable {

class Keys {
 public:
  Keys(const Options &options, int ranks);
  /// The keys that a rank inserts in a round, in order; some may be equal.
  std::vector<Word> of(int rank, int round) const;
  /// A key that no rank inserts.
  static Word absent(std::size_t i) { return mixed(kAbsent + i); }

 private:
  static constexpr Word kAbsent = Word{1} << 63;  // the numbers of drawn keys are below

  Word draw(Word random) const;

  Word seed_, inserts_, universe_;
  std::vector<double> shares_;  // of zipf: the probability of each key and those before it
};

/// What a rank stores with the i-th of its keys: it names both.
inline Word value_of(int rank, std::size_t i) { return (static_cast<Word>(rank) << 32) + i; }

}  // namespace hashtable
