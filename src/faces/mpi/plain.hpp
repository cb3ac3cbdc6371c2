// The most frequent accesses, found with few instructions: a row of bytes in memory that is mapped here. What is not found here, or is wrong,
// is left to the general functions (access.hpp), which find all of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

#include "faces/mpi/access.hpp"

namespace halocline::core::mpi {

/// True if the target is a row of bytes that this rank may access, and is mapped here; then `spot` is what find_spot would find.
inline bool find_plain_spot(const Window &window, const Theirs &theirs, Spot *spot) {
  if (static_cast<unsigned>(theirs.rank) >= static_cast<unsigned>(window.size()) || theirs.count < 0) return false;
  const Layout *const layout = typed::layout_of(theirs.type);
  const Place &place = window.memory.at(theirs.rank);
  if (!layout || !layout->contiguous() || !place.is_mapped || !window.epochs.may_access(theirs.rank)) return false;
  std::int64_t offset = 0, bytes = 0, end = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(theirs.displacement), place.unit, &offset)) return false;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(theirs.count), layout->bytes(), &bytes)) return false;
  if (__builtin_add_overflow(offset, bytes, &end) || offset < 0 || end > place.bytes) return false;
  *spot = {theirs.rank, &place, offset, layout, static_cast<std::int64_t>(theirs.count)};
  return true;
}

/// Moves a row of the same datatype here and there. False if it is none.
inline bool move_plain(const Window &window, WindowMemory::Direction direction, const Mine &mine, const Theirs &theirs) {
  Spot spot;
  if (mine.type != theirs.type || mine.count != theirs.count || !find_plain_spot(window, theirs, &spot)) return false;
  const auto bytes = static_cast<std::size_t>(spot.layout->bytes() * spot.count);
  const bool writes = direction == WindowMemory::Direction::write;
  if (bytes > 0) std::memcpy(writes ? spot.mapped() : mine.address, writes ? mine.address : spot.mapped(), bytes);
  return true;
}

}  // namespace halocline::core::mpi
