// Walks over layouts, run by run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/elements/walk.hpp"
#include "faces/mpi/datatype/flatten.hpp"

namespace halocline::mpi {

/// Calls work(offset, bytes) for each run of data, in the order of the type map; adjacent ones may be two.
template <class Work>
void for_each_run(const Layout &layout, std::int64_t count, Work work) {
  Cursor cursor(layout.steps(), count);
  for (Strip strip; cursor.next(strip);)
    for (std::int64_t i = 0; i < strip.count; ++i) work(strip.offset + i * strip.stride, strip.bytes);
}

/// `count` elements of a datatype, without their address.
struct Elements {
  const Layout &layout;
  std::int64_t count;
};

/// Calls work(origin_offset, target_offset, bytes) for each run that is contiguous on both sides.
template <class Work>
void for_each_pair(const Elements &origin, const Elements &target, Work work) {
  std::array<Side, 2> sides{Side{origin.layout.steps(), origin.count}, Side{target.layout.steps(), target.count}};
  walk<2>(sides, [&](const Part<2> &part) {
    for (std::int64_t i = 0; i < part.count; ++i)
      work(part.offset[0] + i * part.stride[0], part.offset[1] + i * part.stride[1], part.bytes);
  });
}

}  // namespace halocline::mpi
