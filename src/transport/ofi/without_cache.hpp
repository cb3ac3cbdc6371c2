// What libfabric's environment says of its cache of memory registrations (registration_cache.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace halocline::core::transport::ofi {

/// While it lives, libfabric finds the cache switched off in its environment. It reads that once, when it is initialised.
class WithoutCache {
 public:
  WithoutCache();
  WithoutCache(const WithoutCache &) = delete;
  WithoutCache &operator=(const WithoutCache &) = delete;
  ~WithoutCache();

 private:
  std::string before_;
  bool was_set_ = false;
};

/// True if the user has chosen a cache that is safe, or none. userfaultfd is the kernel's own watch.
bool is_cache_safe_as_set();

}  // namespace halocline::core::transport::ofi
