// The most frequent accesses, found with few instructions: a row of bytes in memory that is mapped here. What is not found here, or is wrong,
// is left to the general functions (resolve_target.hpp), which find all of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

#include "faces/mpi/access/resolve_target.hpp"

namespace halocline::core::mpi {

/// Before data is moved.
inline void note_order(WindowMemory::Direction direction) {
  if (direction == WindowMemory::Direction::write)
    put_order.has_put = true;
  else
    order_reads();
}

/// Moves a row of the same datatype here and there. False if it is none.
inline bool move_plain(const Window &window, WindowMemory::Direction direction, const Mine &mine, const Theirs &theirs) {
  Spot spot;
  if (mine.type != theirs.type || mine.count != theirs.count || !is_address(mine.address)) return false;
  if (!find_plain_spot(window, theirs, &spot)) return false;
  const auto bytes = static_cast<std::size_t>(spot.layout->bytes() * spot.count);
  const bool writes = direction == WindowMemory::Direction::write;
  note_order(direction);
  if (bytes > 0) std::memcpy(writes ? spot.mapped() : mine.address, writes ? mine.address : spot.mapped(), bytes);
  return true;
}

}  // namespace halocline::core::mpi
