// Swaps of a part of a case that is chosen at random.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "support/cases.hpp"

namespace halocline::test {

/// A swap of any part of a case; it points to its list of fields.
class AnySwap {
 public:
  AnySwap(const Case &halo, Random &random, bool may_reverse) {
    what_.depth = between(random, 0, 4);
    what_.reverse = may_reverse && between(random, 0, 1) ? 1 : 0;
    for (int f = 0; f < halo.nfields; ++f)
      if (between(random, 0, 1)) fields_.push_back(f);
    if (!fields_.empty() && between(random, 0, 1)) what_.nfields = static_cast<int>(fields_.size()), what_.fields = fields_.data();
    if (between(random, 0, 2) > 0) return;
    what_.one_dim = 1;
    what_.dim = static_cast<int>(between(random, 0, halo.decomposition.ndims - 1));
    what_.side = static_cast<hlc_side>(between(random, HLC_SIDE_BOTH, HLC_SIDE_HIGH));
  }
  AnySwap(const AnySwap &) = delete;
  AnySwap &operator=(const AnySwap &) = delete;
  const hlc_swap &what() const { return what_; }

 private:
  std::vector<int> fields_;
  hlc_swap what_{};
};

}  // namespace halocline::test
