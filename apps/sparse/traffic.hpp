// What each rank sends to which ranks. Every rank can compute it for all ranks, which is how messages are checked.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "options.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace sparse {

/// A message: at its sender the rank is the target, at its receiver the origin.
struct Message {
  int rank = 0;
  std::vector<std::byte> data;
};

class Traffic {
 public:
  Traffic(const Options &options, int ranks) : options_(options), ranks_(ranks) {}
  /// To how many ranks each sends: --neighbours, if there are so many.
  int targets() const { return std::min(options_.neighbours, ranks_); }
  /// What a rank sends in an exchange, to different ranks. It may be one of them.
  std::vector<Message> from(int origin, std::int64_t exchange) const;
  /// What is wrong with what a rank has received in an exchange, in any order; empty if nothing is.
  std::string wrong_with(std::vector<Message> received, int rank, std::int64_t exchange) const;

 private:
  const Options &options_;
  int ranks_;
};

}  // namespace sparse
