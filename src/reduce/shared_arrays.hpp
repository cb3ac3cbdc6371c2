// The arrays of a run that lie in memory from hlc_field_alloc: the ranks of the node combine and take them there, and copy nothing in between.
// Source: Simmendinger et al., section 3.3 (1-copy), for the reduction of section 5.4.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "engine/context/context.hpp"

namespace halocline {

/// Where a rank's arrays lie in a run, as it tells its node.
struct Notice {
  FieldPlace in, out;
  bool sees_all = false;  // the rank can read all arrays of which its node's notices tell
};
static_assert(sizeof(Notice) <= kLinePair);

/// Of one rank. Nothing but make_room, which comes first, allocates.
class SharedArrays {
 public:
  explicit SharedArrays(Context &context) : context_(context) {}
  SharedArrays(const SharedArrays &) = delete;
  SharedArrays &operator=(const SharedArrays &) = delete;
  ~SharedArrays() { release(); }

  void make_room();
  /// Finds this rank's own arrays, and keeps them until release.
  Notice hold(const void *in, const void *out, std::int64_t bytes);
  /// Keeps what a member's notice tells of readable until release. False if this rank has released its part of that memory.
  bool borrow(Member member, const Notice &notice);
  /// No array is read where it lies.
  void forget();
  void release();

  /// NULL where a member's array cannot be read.
  const char *in(Member member) const { return in_[static_cast<std::size_t>(member)]; }
  const char *out(Member member) const { return out_[static_cast<std::size_t>(member)]; }

 private:
  bool borrow(Member member, const FieldPlace &place, const char *&array);

  Context &context_;
  std::vector<const char *> in_, out_;  // by member
  std::vector<std::int64_t> kept_;  // serials
};

}  // namespace halocline
