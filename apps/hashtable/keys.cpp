// SPDX-License-Identifier: BSD-3-Clause
#include "keys.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace hashtable {

Keys::Keys(const Options &options, int ranks)
    : seed_(options.seed), inserts_(static_cast<Word>(options.inserts)), universe_(static_cast<Word>(options.universe)) {
  if (options.keys != "zipf") return;
  if (universe_ == 0) universe_ = inserts_ * static_cast<Word>(ranks);
  shares_.reserve(universe_);
  double sum = 0;
  for (Word k = 1; k <= universe_; ++k) shares_.push_back(sum += std::pow(static_cast<double>(k), -options.exponent));
  for (double &share : shares_) share /= sum;
}

/// Numbers from 1 to before kAbsent become keys, each another one; 0 would become the key 0.
Word Keys::draw(Word random) const {
  if (shares_.empty()) return mixed(1 + random % (universe_ > 0 ? universe_ : kAbsent - 1));
  const double share = static_cast<double>(random >> 11) * 0x1p-53;
  const auto place = std::upper_bound(shares_.begin(), shares_.end() - 1, share) - shares_.begin();
  return mixed(1 + static_cast<Word>(place));
}

std::vector<Word> Keys::of(int rank, int round) const {
  std::mt19937_64 random(mixed(seed_ ^ (static_cast<Word>(rank) << 20) ^ (static_cast<Word>(round) << 44)));
  std::vector<Word> keys(inserts_);
  for (Word &key : keys) key = draw(random());
  return keys;
}

}  // namespace hashtable
