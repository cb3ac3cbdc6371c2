// The arrays of a run in memory from hlc_field_alloc: the ranks of the node combine and take them in place, without a copy in between.
// Source: Simmendinger et al., section 3.3 (1-copy), for the reduction of section 5.4.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/atomics.hpp"
#include "engine/communicator/topology.hpp"
#include "engine/memory/fields.hpp"

namespace halocline::core {

/// The places of a rank's arrays in a run, as published to its node.
struct Notice {
  FieldPlace in, out;
  bool sees_all = false;  // the rank can read all arrays in its node's notices
};
static_assert(sizeof(Notice) <= kLinePair);

/// The arrays of the node's ranks as one rank reads them. Only the constructor allocates.
class SharedArrays {
 public:
  SharedArrays(Fields &fields, int members);
  SharedArrays(const SharedArrays &) = delete;
  SharedArrays &operator=(const SharedArrays &) = delete;
  ~SharedArrays() { release(); }

  /// Finds this rank's own arrays, and keeps them until release.
  Notice hold(const void *in, const void *out, std::int64_t bytes);
  /// Keeps the arrays in a member's notice readable until release. False if this rank has released its part of that memory.
  bool borrow(Member member, const Notice &notice);
  /// From now on no array is read in place.
  void forget();
  void release();

  /// Null where a member's array is not read in place.
  const char *in(Member member) const { return in_[static_cast<std::size_t>(member)]; }
  const char *out(Member member) const { return out_[static_cast<std::size_t>(member)]; }

 private:
  bool borrow(Member member, const FieldPlace &place, const char *&array);

  Fields &fields_;
  std::vector<const char *> in_, out_;  // by member
  std::vector<std::int64_t> kept_;  // serials of fields
};

}  // namespace halocline::core
