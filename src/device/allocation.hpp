// Memory of a device that the library allocates for a program: what the driver gives, in the context that is current in the thread.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/driver.hpp"

namespace halocline::core::device {

class Allocation {
 public:
  Allocation() = default;
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;
  ~Allocation() { static_cast<void>(release({"hlc_finalise", 0})); }

  /// Allocates bytes that are zero once this returns, for all streams. Other processes of the node can open it.
  Status make(const Caller &caller, std::int64_t bytes);
  /// Frees it. Memory of a context that the program has destroyed is gone already. An error may be that of an earlier kernel.
  Status release(const Caller &caller);

  /// NULL: there is none.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's addresses are numbers
  char *data() const { return reinterpret_cast<char *>(static_cast<std::uintptr_t>(address_)); }

 private:
  Status fill(const Caller &caller, std::int64_t bytes) const;
  Context context_ = nullptr;
  int device_ = -1;
  Address address_ = 0;
};

}  // namespace halocline::core::device
