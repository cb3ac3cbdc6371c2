// What a table holds, as numbers that anyone can compute again who knows the keys: README.md says how.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "walk.hpp"

#include <span>
#include <string>

namespace hashtable {

/// Sums modulo 2^64, so that neither the order of the cells nor their owners count.
struct Digest {
  Word count = 0;  ///< of keys
  Word keys = 0;   ///< sum of mixed(key)
  Word pairs = 0;  ///< sum of mixed(key + mixed(value + 1))

  void add(Word key, Word value);
  bool operator==(const Digest &) const = default;
  /// "1200 keys, digest 0123456789abcdef".
  std::string text_of_keys() const;
  /// The same, and ", with their values fedcba9876543210".
  std::string text() const;
};

/// Of the chains of a rank's part, without erased keys.
Digest digest_of(std::span<const Word> part, const Shape &shape);
/// The same of all ranks. Collective.
Digest digest_of_all(std::span<const Word> part, const Shape &shape);

}  // namespace hashtable
