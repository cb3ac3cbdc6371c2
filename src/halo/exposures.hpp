// The caller's own arrays that neighbours read in place, and the neighbours' arrays of that kind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "engine/memory/exposed.hpp"

namespace halocline::core {

/// The serial of memory that is in no field, but exposed.
inline constexpr std::int64_t kExposedSerial = -2;

struct Exposures {
  std::vector<Exposed> mine;     // of fields that are in no memory from hlc_field_alloc
  std::vector<Attached> theirs;  // each once, though it may be read in several directions

  /// Where another process's memory is mapped here; NULL if it cannot be attached.
  char *find(const ExposedAddress &address) {
    for (const Attached &known : theirs)
      if (known.segment() == address.segment) return known.data();
    theirs.emplace_back(address);
    return theirs.back().data();
  }
};

}  // namespace halocline::core
