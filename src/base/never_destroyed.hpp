// Objects of the process that other threads, or the MPI, may use as late as the process ends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>

namespace halocline::core {

/// The object of this type, made at its first use. That allocates nothing, unless its constructor does.
template <class Object>
Object &never_destroyed() {
  alignas(Object) static unsigned char place[sizeof(Object)];
  static Object *const made = new (place) Object;
  return *made;
}

}  // namespace halocline::core
