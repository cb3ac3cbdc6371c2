// Holding, borrowing and releasing the arrays of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/shared_arrays.hpp"

#include <algorithm>

#include "engine/communicator/topology.hpp"

namespace halocline::core {

SharedArrays::SharedArrays(Fields &fields, int members)
    : fields_(fields), in_(static_cast<std::size_t>(members)), out_(static_cast<std::size_t>(members)) {
  kept_.reserve(2 * in_.size() + 2);
}

Notice SharedArrays::hold(const void *in, const void *out, std::int64_t bytes) {
  const Notice mine{fields_.hold(in, bytes), fields_.hold(out, bytes)};
  for (const FieldPlace &place : {mine.in, mine.out})
    if (place.serial >= 0) kept_.push_back(place.serial);
  return mine;
}

bool SharedArrays::borrow(Member member, const Notice &notice) {
  return borrow(member, notice.in, in_[static_cast<std::size_t>(member)]) &&
         borrow(member, notice.out, out_[static_cast<std::size_t>(member)]);
}

bool SharedArrays::borrow(Member member, const FieldPlace &place, const char *&array) {
  if (place.serial < 0) return true;
  const char *part = fields_.borrow(place.serial, member);
  if (!part) return false;
  array = part + place.offset;
  kept_.push_back(place.serial);
  return true;
}

void SharedArrays::forget() {
  std::fill(in_.begin(), in_.end(), nullptr);
  std::fill(out_.begin(), out_.end(), nullptr);
}

void SharedArrays::release() {
  for (const std::int64_t serial : kept_) fields_.use(serial, -1);
  kept_.clear();
  forget();
}

}  // namespace halocline::core
